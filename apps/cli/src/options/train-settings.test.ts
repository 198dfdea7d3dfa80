/** Every number of training is a flag, and every flag of an update reaches the run and its record. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { presetNames, presetSettings, type TrainingSettings } from '@emac/trainer';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';
import { readValues } from './option.ts';
import { presetValues } from './preset-values.ts';
import { trainOptions } from './train-options.ts';
import { trainingSettings } from './training-settings.ts';

const folder = temporaryFolder();

function settingsFor(
  typed: Readonly<Record<string, unknown>>,
  phase: 'bc' | 'dpo' = 'dpo',
): TrainingSettings {
  return trainingSettings({ ...readValues(trainOptions, typed), phase, phases: phase });
}

const dynamic = { start: 65536, growth: 2, backoff: 0.5, interval: 2000 };

/** A flag for every field of the settings, with values that no preset or only some have. */
const flags: Readonly<Record<keyof TrainingSettings, readonly [Record<string, unknown>, unknown][]>> = {
  rounds: [[{ rounds: '7' }, 7]],
  gamesPerRound: [[{ 'games-per-round': '5' }, 5]],
  maxSteps: [[{ 'max-steps': '9' }, 9]],
  batchSize: [[{ 'batch-size': '3' }, 3]],
  accumulate: [[{ accumulate: '6' }, 6]],
  updatesPerEpisode: [[{ 'updates-per-episode': '2' }, 2]],
  learningRate: [[{ lr: '0.5' }, 0.5]],
  warmup: [[{ warmup: '11' }, 11]],
  warmupStart: [[{ 'warmup-lr': '1e-7' }, 1e-7]],
  minimum: [[{ 'min-lr': '1e-9' }, 1e-9]],
  schedule: [
    [{ schedule: 'constant' }, 'constant'],
    [{ schedule: 'linear' }, 'linear'],
    [{ schedule: 'round-cosine' }, 'round-cosine'],
  ],
  betas: [
    [{ 'adam-beta1': '0.8' }, [0.8, 0.999]],
    [{ 'adam-beta2': '0.95' }, [0.9, 0.95]],
  ],
  epsilon: [[{ 'adam-epsilon': '1e-6' }, 1e-6]],
  weightDecay: [[{ 'weight-decay': '0.01' }, 0.01]],
  clipNorm: [
    [{ 'clip-norm': '2.5' }, 2.5],
    [{ 'clip-norm': 'none' }, null],
  ],
  lossScaling: [
    [{ 'loss-scaling': 'dynamic' }, dynamic],
    [{ 'loss-scaling': 'none' }, null],
  ],
  replacement: [[{ 'without-replacement': true }, false]],
  loss: [
    [{ loss: 'ipo' }, 'ipo'],
    [{ loss: 'hinge' }, 'hinge'],
  ],
  beta: [[{ beta: '0.3' }, 0.3]],
  mixRatio: [[{ 'mix-ratio': '0.25' }, 0.25]],
  labelSmoothing: [[{ 'label-smoothing': '0.1' }, 0.1]],
  referenceFree: [[{ 'reference-free': true }, true]],
  averageLogProbabilities: [[{ 'sum-log-probs': true }, false]],
  actWith: [[{ 'act-with': 'expert' }, 'expert']],
  expertProbability: [[{ 'expert-probability': '0.75' }, 0.75]],
  expertDecay: [[{ 'expert-decay': '0.25' }, 0.25]],
  admissibleOnly: [[{ 'admissible-only': true }, true]],
  trainAfter: [
    [{ 'train-after': 'failed' }, 'failed-episodes'],
    [{ 'train-after': 'every-episode' }, 'every-episode'],
  ],
  skipSolved: [[{ 'no-skip-solved': true }, false]],
  stopRepeating: [
    [{ 'stop-repeating': true }, true],
    [{ 'no-stop-repeating': true }, false],
  ],
  selection: [
    [{ 'train-on': 'all' }, { keep: 'all' }],
    [{ 'train-on': 'distinct' }, { keep: 'distinct' }],
    [
      { 'train-on': 'departure', 'departure-steps': '3' },
      { keep: 'departure', after: 3 },
    ],
  ],
  agreed: [
    [{ agreed: 'drop' }, 'drop'],
    [{ agreed: 'keep' }, 'keep'],
    [{ agreed: 'random' }, 'random'],
  ],
  trainOnUnusable: [
    [{ 'unusable-labels': 'own' }, true],
    [{ 'unusable-labels': 'skip' }, false],
  ],
};

describe('settings', () => {
  it.each(presetNames)('of the preset %s are what no flag changes', (preset) => {
    for (const phase of ['bc', 'dpo'] as const)
      expect(settingsFor({ preset }, phase)).toEqual(presetSettings(preset, phase));
  });

  it.each(Object.keys(flags) as (keyof TrainingSettings)[])(
    'have a flag for %s that wins over every preset',
    (field) => {
      for (const [typed, value] of flags[field])
        for (const preset of presetNames) {
          const settings = settingsFor({ preset, ...typed });
          expect(settings[field]).toEqual(value);
          expect({ ...settings, [field]: null }).toEqual({ ...presetSettings(preset, 'dpo'), [field]: null });
        }
    },
  );

  it('have a flag for every field there is', () => {
    expect(Object.keys(presetSettings('tiny', 'bc')).sort()).toEqual(Object.keys(flags).sort());
  });

  it('are shown as their flags take them', () => {
    expect(presetValues('lossScaling', 'published-code')).toBe('dynamic');
    expect(presetValues('clipNorm', 'paper')).toBe('none');
    expect(presetValues('selection')).toBe('distinct');
    expect(presetValues('trainOnUnusable', 'published-code')).toBe('own');
    expect(presetValues('learningRate', 'paper')).toBe('0.00001 bc, 0.000005 dpo');
  });

  it.each([
    [{ loss: 'ipo', 'label-smoothing': '0.1' }, 'label smoothing belongs to sigmoid'],
    [{ 'label-smoothing': '0.5' }, 'label smoothing must be'],
    [{ 'adam-beta1': '1' }, 'betas must be from 0 to below 1'],
    [{ 'min-lr': '1' }, 'must not be above the learning rate'],
  ])('that are none are refused: %j', (typed, message) => {
    expect(() => settingsFor(typed)).toThrow(message);
  });
});

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
    expect(readFileSync(join(run, 'config.yaml'), 'utf8')).toContain('label-smoothing');
    const text = readFileSync(join(run, 'metrics.jsonl'), 'utf8').trim();
    const lines = text.split('\n').map((line) => JSON.parse(line) as Record<string, number>);
    return lines.filter(({ kind }) => (kind as unknown) === 'update');
  }

  it('minimises the loss that its flags name, to the same numbers without any saving and at any scale', async () => {
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
  }, 240_000);
});
