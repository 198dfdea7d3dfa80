import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { presetConfig, trainConfig, type GivenSettings } from '@emac/settings';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../captured-io.test.fixture.ts';
import { originOf } from '../commands/config-show.ts';

import { layered } from './layers.ts';
import { readValues } from './option.ts';
import { trainSettings } from '../settings/train-settings.ts';

const folder = temporaryFolder();
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

/** Each place gives another seed. */
const places = {
  file: { config: file('seed.yaml', 'seed: 1\n') },
  environment: { env: { EMAC_SEED: '2' } },
  word: { words: ['seed=3'] },
  flag: { typed: { seed: '4' } },
} as const;

interface Given {
  readonly config?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly words?: readonly string[];
  readonly typed?: Readonly<Record<string, string>>;
}

function layersOf({ config = undefined, env = {}, words = [], typed = {} }: Given) {
  const { values } = readValues(trainSettings, typed);
  return layered<GivenSettings>(trainSettings, { values: { ...values, config: config ?? null }, words, env });
}

const presetLayer = (preset: Parameters<typeof presetConfig>[0]) => ({
  origin: `preset ${preset}`,
  settings: presetConfig(preset, 'bc'),
});

function settled(given: Given) {
  const { layers, given: settings } = layersOf(given);
  const { seed, preset } = trainConfig({ ...settings, phase: 'bc' });
  return { seed, origin: originOf([presetLayer(preset), ...layers])(['seed']) };
}

describe('settings from several places', () => {
  const names = ['file', 'environment', 'word', 'flag'] as const;
  const origins = [places.file.config, 'EMAC_SEED', 'SETTING=VALUE', 'flag'];

  it.each(names.flatMap((weak, low) => names.slice(low + 1).map((strong) => [weak, strong] as const)))(
    'given in %s and %s come from the second place',
    (weak, strong) => {
      const place = names.indexOf(strong);
      expect(settled({ ...places[weak], ...places[strong] })).toEqual({
        seed: place + 1,
        origin: origins[place],
      });
    },
  );

  it('come before the preset, and that before the schema', () => {
    expect(settled({})).toEqual({ seed: 0, origin: 'default' });
    const rounds = (given: Given) => {
      const { layers, given: settings } = layersOf(given);
      const { play, preset } = trainConfig({ ...settings, phase: 'bc' });
      return [play.rounds, originOf([presetLayer(preset), ...layers])(['play', 'rounds'])];
    };
    const { rounds: ofPreset } = presetConfig('paper', 'bc').play;
    expect(rounds({ typed: { preset: 'paper' } })).toEqual([ofPreset, 'preset paper']);
    expect(rounds({ typed: { preset: 'paper', rounds: '7' } })).toEqual([7, 'flag']);
  });

  it.each(names)('from %s come before the default', (name) => {
    const { seed, origin } = settled(places[name]);
    expect([seed, origin]).toEqual([names.indexOf(name) + 1, origins[names.indexOf(name)]]);
  });

  /** The same place, or a weaker one, names the preset. */
  it.each([
    ['file', { config: file('paper.yaml', 'preset: paper\nplay: { rounds: 7 }\n') }],
    ['word', { env: { EMAC_PRESET: 'paper' }, words: ['play.rounds=7'] }],
    ['flag', { env: { EMAC_PRESET: 'paper' }, typed: { rounds: '7' } }],
  ] as const)('from %s come before the preset', (_place, given) => {
    const { preset, play } = trainConfig({ ...layersOf(given).given, phase: 'bc' });
    const { rounds, gamesPerRound } = presetConfig('paper', 'bc').play;
    expect(rounds).not.toBe(7);
    expect([preset, play.rounds, play.gamesPerRound]).toEqual(['paper', 7, gamesPerRound]);
  });

  it.each([
    ['file', { config: file('earlier.yaml', 'preset: tiny-image\n') }],
    ['environment', { env: { EMAC_PRESET: 'tiny-image' } }],
    ['word', { words: ['preset=tiny-image'] }],
    ['flag', { typed: { preset: 'tiny-image' } }],
  ] as const)('may be an earlier preset, which shows frames alone, from %s', (_place, given) => {
    const { preset, speech } = trainConfig({ ...layersOf(given).given, phase: 'bc' });
    expect([preset, speech.observe]).toEqual(['tiny', 'image']);
  });

  it('from the environment come before defaults that presets leave open', () => {
    const env = { EMAC_PRESET: 'paper', EMAC_PARALLEL_EPISODES: '3' };
    const { play, preset } = trainConfig({ ...layersOf({ env }).given, phase: 'bc' });
    expect([preset, play.parallelEpisodes]).toEqual(['paper', 3]);
  });

  it('join within a group', () => {
    const config = file('play.yaml', 'play: { rounds: 4, maxSteps: 9 }\n');
    const { given } = layersOf({ config, words: ['play.maxSteps=8'], typed: { 'games-per-round': '2' } });
    expect(given.play).toEqual({ rounds: 4, maxSteps: 8, gamesPerRound: 2 });
  });

  it('of a run are the values in use for its own phase, and the given ones for others', () => {
    const ofRun = (phases: string) =>
      file(
        `${phases}.yaml`,
        `v: 2\ncommand: train\nphase: bc\nphases: [${phases}]\ngiven: { keep: 3 }\ndrawn: [a]\nseed: 7\n`,
      );
    const readAs = (phases: string, phase?: string) => {
      const { values } = readValues(trainSettings, {});
      const typed = { ...values, config: ofRun(phases), phase: phase ?? null };
      const { phase: named, given } = layered(trainSettings, { values: typed, words: [], env: {} });
      return [named, given];
    };
    expect(readAs('bc')).toEqual(['bc', { seed: 7 }]);
    expect(readAs('bc', 'bc')).toEqual(['bc', { seed: 7 }]);
    expect(readAs('bc', 'dpo')).toEqual(['bc', { keep: 3 }]);
    expect(readAs('bc, dpo')).toEqual(['bc,dpo', { keep: 3 }]);
  });

  it('complete a list from the places below', () => {
    const config = file('betas.yaml', 'optimization: { betas: [0.8, 0.95] }\n');
    const { given } = layersOf({ config, typed: { 'adam-beta1': '0.7' } });
    expect(given.optimization?.betas).toEqual([0.7, 0.95]);
    expect(() => layersOf({ config, words: ['optimization.betas.2=0.5'] })).toThrow(/places 0 to 1/);
    expect(() => layersOf({ words: ['play.games=*.pddl'] })).toThrow(/play\.games=\*\.pddl: is not readable/);
  });

  it('are rejected together', () => {
    expect(() => layersOf({ words: ['seed', '=1'], env: { EMAC_SEED: 'x', EMAC_FOO: '1' } })).toThrow(
      /^EMAC_SEED: must be .*; "seed": must be SETTING=VALUE.*; "=1": must be/,
    );
    expect(() => layersOf({ config: join(folder, 'none.yaml') })).toThrow(/none\.yaml: does not exist/);
    expect(() => layersOf({ config: file('list.yaml', '- 1\n') })).toThrow(
      /must hold settings by their names/,
    );
    expect(() => layersOf({ config: file('bad.yaml', 'a: [1\n') })).toThrow(/bad\.yaml: .* line 2/);
  });
});
