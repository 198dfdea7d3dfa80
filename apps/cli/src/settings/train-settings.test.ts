/** Every number of training is a flag. Every flag of an update reaches the run and its record. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { presetNames, presetSettings } from '@emac/algorithms';
import { presetConfig, trainConfig, trainSchema, type TrainConfig } from '@emac/settings';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';
import { configured } from '../options/configured.ts';
import { readValues } from '../options/option.ts';
import { presetText } from '../options/preset-values.ts';
import { trainSettings } from './train-settings.ts';

const folder = temporaryFolder();

function configOf(
  typed: Readonly<Record<string, unknown>>,
  phase: TrainConfig['phase'] = 'dpo',
): TrainConfig {
  const { values } = readValues(trainSettings, typed);
  return trainConfig({ ...configured(trainSettings, values), phase });
}

/** The value at a path. */
function valueAt(config: unknown, path: string): unknown {
  return path.split('.').reduce((group, name) => (group as Record<string, unknown>)[name], config);
}

/** The same with null there. */
function without(config: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return null;
  const group = config as Record<string, unknown>;
  return { ...group, [name]: without(group[name], rest) };
}

const dynamic = { start: 65536, growth: 2, backoff: 0.5, interval: 2000 };

/** A flag for every setting of a preset, with values used by few presets or none. */
const flags: Readonly<Record<string, readonly (readonly [Record<string, unknown>, unknown])[]>> = {
  'play.rounds': [[{ rounds: '7' }, 7]],
  'play.gamesPerRound': [[{ 'games-per-round': '5' }, 5]],
  'play.episodesPerUpdate': [[{ 'episodes-per-update': '4' }, 4]],
  'play.maxSteps': [[{ 'max-steps': '9' }, 9]],
  'play.expertShare': [
    [{ 'act-with': 'student' }, { start: 0, decay: 1 }],
    [{ 'act-with': 'expert' }, { start: 1, decay: 1 }],
    [{ 'act-with': 'mixture' }, { start: 1, decay: 0.5 }],
    [
      { 'act-with': 'mixture', 'expert-probability': '0.75' },
      { start: 0.75, decay: 0.5 },
    ],
    [
      { 'act-with': 'mixture', 'expert-decay': '0.25' },
      { start: 1, decay: 0.25 },
    ],
  ],
  'play.admissibleOnly': [[{ 'admissible-only': true }, true]],
  'play.skipSolved': [[{ 'no-skip-solved': true }, false]],
  'play.stopRepeating': [
    [{ 'stop-repeating': true }, true],
    [{ 'no-stop-repeating': true }, false],
  ],
  'samples.trainAfter': [
    [{ 'train-after': 'failed' }, 'failed-episodes'],
    [{ 'train-after': 'every-episode' }, 'every-episode'],
  ],
  'samples.selection': [
    [{ 'train-on': 'all' }, { keep: 'all' }],
    [{ 'train-on': 'distinct' }, { keep: 'distinct' }],
    [{ 'train-on': 'departure' }, { keep: 'departure', after: 0 }],
    [
      { 'train-on': 'departure', 'departure-steps': '3' },
      { keep: 'departure', after: 3 },
    ],
  ],
  'samples.agreed': [
    [{ agreed: 'drop' }, 'drop'],
    [{ agreed: 'keep' }, 'keep'],
    [{ agreed: 'random' }, 'random'],
  ],
  'samples.trainOnUnusable': [
    [{ 'unusable-labels': 'own' }, true],
    [{ 'unusable-labels': 'skip' }, false],
  ],
  'optimization.updatesPerEpisode': [[{ 'updates-per-episode': '2' }, 2]],
  'optimization.batchSize': [[{ 'batch-size': '3' }, 3]],
  'optimization.accumulate': [[{ accumulate: '6' }, 6]],
  'optimization.replacement': [[{ 'without-replacement': true }, false]],
  'optimization.schedule': [
    [{ schedule: 'constant' }, 'constant'],
    [{ schedule: 'linear' }, 'linear'],
    [{ schedule: 'round-cosine' }, 'round-cosine'],
  ],
  'optimization.learningRate': [[{ lr: '0.5' }, 0.5]],
  'optimization.warmup': [[{ warmup: '11' }, 11]],
  'optimization.warmupStart': [[{ 'warmup-lr': '1e-7' }, 1e-7]],
  'optimization.minimum': [[{ 'min-lr': '1e-9' }, 1e-9]],
  'optimization.betas': [
    [{ 'adam-beta1': '0.8' }, [0.8, 0.999]],
    [{ 'adam-beta2': '0.95' }, [0.9, 0.95]],
  ],
  'optimization.epsilon': [[{ 'adam-epsilon': '1e-6' }, 1e-6]],
  'optimization.weightDecay': [[{ 'weight-decay': '0.01' }, 0.01]],
  'optimization.clipNorm': [
    [{ 'max-grad-norm': '2.5' }, 2.5],
    [{ 'max-grad-norm': 'none' }, null],
  ],
  'optimization.lossScaling': [
    [{ 'loss-scaling': 'dynamic' }, dynamic],
    [{ 'loss-scaling': 'none' }, null],
  ],
  'preference.loss': [
    [{ loss: 'ipo' }, 'ipo'],
    [{ loss: 'hinge' }, 'hinge'],
  ],
  'preference.beta': [[{ beta: '0.3' }, 0.3]],
  'preference.mixRatio': [[{ 'mix-ratio': '0.25' }, 0.25]],
  'preference.labelSmoothing': [[{ 'label-smoothing': '0.1' }, 0.1]],
  'preference.referenceFree': [[{ 'reference-free': true }, true]],
  'preference.targetMargin': [[{ 'target-margin': '0.5' }, 0.5]],
  'preference.desirableWeight': [[{ 'desirable-weight': '0.5' }, 0.5]],
  'preference.undesirableWeight': [[{ 'undesirable-weight': '2' }, 2]],
  'preference.averageLogProbabilities': [[{ 'sum-log-probs': true }, false]],
};

describe('settings', () => {
  it.each(presetNames)('of the preset %s apply without flags', (preset) => {
    for (const phase of ['bc', 'dpo'] as const)
      expect(configOf({ preset }, phase)).toMatchObject(presetConfig(preset, phase));
  });

  it.each(Object.entries(flags))('have a flag for %s that wins over every preset', (path, given) => {
    for (const [typed, value] of given)
      for (const preset of presetNames) {
        const config = configOf({ preset, ...typed });
        expect(valueAt(config, path)).toEqual(value);
        const place = path.split('.');
        expect(without(config, place)).toEqual(without(configOf({ preset }), place));
      }
  });

  it('have a flag for every setting of a preset', () => {
    const groups = presetSettings('tiny', 'bc');
    const paths = Object.entries(groups).flatMap(([name, group]) =>
      Object.keys(group).map((each) => `${name}.${each}`),
    );
    expect(paths.sort()).toEqual(Object.keys(flags).sort());
  });

  it('all have a flag, except the phase and a method given from a program', () => {
    const reached = Object.values(trainSettings).flatMap(({ paths }) => paths);
    const paths = pathsOf(trainSchema).filter(
      (path) => !/^phase$|^method$|^optimization.lossScaling/.test(path),
    );
    const unreached = paths.filter(
      (path) =>
        !reached.some((each) => each === path || path.startsWith(`${each}.`) || each.startsWith(`${path}.`)),
    );
    expect(unreached).toEqual([]);
    expect(paths.length).toBeGreaterThan(60);
  });

  it('about the run itself also have flags', () => {
    const given = { keep: 'all', probe: 'none', 'parallel-episodes': '4', 'eval-episodes': '0', seed: '7' };
    const config = configOf({ ...given, 'episodes-per-update': '4' });
    expect(config).toMatchObject({
      keep: null,
      probe: false,
      seed: 7,
      play: { parallelEpisodes: 4, episodesPerUpdate: 4 },
      evaluation: { episodes: 0, parallelEpisodes: 4 },
    });
    expect(configOf({ keep: '3' })).toMatchObject({ keep: 3, probe: null });
    expect(configOf({ 'sample-temperature': '1.5', observe: 'image' })).toMatchObject({
      play: { sampleTemperature: 1.5 },
      speech: { observe: 'image' },
    });
  });

  it('are shown in the form of their flags', () => {
    const shown = (flag: string, preset: (typeof presetNames)[number]) =>
      presetText(trainSettings[flag]!.paths[0]!, trainSettings[flag]!.shown, preset);
    expect(shown('loss-scaling', 'published-code')).toBe('dynamic');
    expect(shown('max-grad-norm', 'paper')).toBe('none');
    expect(shown('train-on', 'tiny')).toBe('distinct');
    expect(shown('unusable-labels', 'published-code')).toBe('own');
    expect(shown('train-after', 'published-code')).toBe('failed');
    expect(shown('lr', 'paper')).toBe('0.00001 bc, 0.000005 dpo');
    expect(shown('act-with', 'tiny')).toBe('expert');
  });

  it.each([
    [['--loss', 'ipo', '--label-smoothing', '0.1'], 'label smoothing belongs to sigmoid'],
    [['--label-smoothing', '0.5'], 'label smoothing must be'],
    [['--adam-beta1', '1'], 'must be a number from 0 to below 1'],
    [['--min-lr', '1'], 'must not be above the learning rate'],
    [['--act-with', 'student', '--expert-decay', '0.5'], 'belongs to --act-with mixture'],
    [['--act-with', 'expert', '--expert-probability', '0.5'], 'belongs to --act-with mixture'],
    [['--departure-steps', '2'], '--departure-steps: belongs to --train-on departure'],
  ])('in conflict are rejected: %j', async (given, message) => {
    const out = join(folder, 'refused');
    const { status, stderr } = await emac([
      'train',
      '--phase',
      'dpo',
      '--ref',
      'emma-tiny',
      '--out',
      out,
      ...given,
    ]);
    expect([status, stderr]).toEqual([64, expect.stringContaining(message)]);
  });
});

/** Every path of a schema; a union or a list is one value. */
function pathsOf(schema: z.ZodType): string[] {
  const { def } = schema as unknown as {
    def: { type: string; innerType?: z.ZodType; shape?: Record<string, z.ZodType> };
  };
  if (def.innerType) return pathsOf(def.innerType);
  if (!def.shape) return [''];
  return Object.entries(def.shape).flatMap(([name, inner]) =>
    pathsOf(inner).map((path) => (path === '' ? name : `${name}.${path}`)),
  );
}

describe('emac train --phase dpo', () => {
  const small = ['--rounds', '1', '--games-per-round', '1', '--max-steps', '3', '--updates-per-episode', '2'];

  async function updates(name: string, given: readonly string[]): Promise<Record<string, number>[]> {
    const out = join(folder, name);
    const flags = [
      ...small,
      '--beams',
      '1',
      '--eval-games',
      '0',
      '--ref',
      'emma-tiny',
      '--out',
      out,
      ...given,
    ];
    const { status, stderr } = await emac(['train', '--phase', 'dpo', ...flags]);
    expect(stderr).not.toContain('emac:');
    expect(status).toBe(0);
    const run = join(out, readdirSync(out)[0]!);
    expect(readFileSync(join(run, 'config.yaml'), 'utf8')).toContain('labelSmoothing');
    const text = readFileSync(join(run, 'metrics.jsonl'), 'utf8').trim();
    const lines = text.split('\n').map((line) => JSON.parse(line) as Record<string, number>);
    return lines.filter(({ kind }) => (kind as unknown) === 'update');
  }

  it('minimises the loss in its flags, to the same numbers without caches and at any loss scale', async () => {
    // at equal policies h = 0: (0 − 1/(2 · 0.1))² = 25
    const ipo = ['--loss', 'ipo', '--mix-ratio', '0'];
    const [plain, next] = await updates('ipo', ipo);
    expect(plain!['loss']).toBeCloseTo(25, 4);
    const other = await updates('none', [...ipo, '--savings', 'none', '--loss-scaling', 'dynamic']);
    for (const [index, line] of [plain!, next!].entries()) {
      expect(Math.abs(other[index]!['loss']! / line['loss']! - 1)).toBeLessThan(1e-5);
      expect(Math.abs(other[index]!['gradient_norm']! / line['gradient_norm']! - 1)).toBeLessThan(1e-4);
      expect(other[index]).toMatchObject({ lr: line['lr'], loss_scale: 65536, skipped: 0 });
    }
    const free = ['--reference-free', '--label-smoothing', '0.25', '--mix-ratio', '0', '--sum-log-probs'];
    const [summed] = await updates('free', free);
    // without the reference h is not 0, and neither is the loss ln 2; sums over a command's tokens exceed their means
    expect(Math.abs(summed!['loss']! - Math.LN2)).toBeGreaterThan(1e-3);
    expect(summed!['nll']!).toBeGreaterThan(1.5 * plain!['nll']!);
  });
});
