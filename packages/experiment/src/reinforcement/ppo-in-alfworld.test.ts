/** PPO in an environment that has words alone: ALFWorld, by the small model that knows its commands. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { plainHost } from '@emac/opening';
import type { GivenPpoConfig } from '@emac/settings';
import { beforeAll, describe, expect, it } from 'vitest';
import { ppoConfig, withFound } from './given-config.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { evaluatedSteps } from '../evaluation/evaluated-steps.test.support.ts';
import type { FinishedPpo } from './recipe.ts';
import { contentOf } from './run-content.test.support.ts';
import { stoppedAndGoneOn } from './stopped-run.test.support.ts';
import { trainPpo } from './train-ppo.ts';

const folder = temporaryFolder();

const short: GivenPpoConfig = {
  env: 'alfworld',
  play: { environments: 2, environmentSteps: 8, stepsPerUpdate: 2, maxSteps: 3 },
  optimization: { passes: 1, minibatchSize: 4, valueInitSteps: 0, targetKl: null },
  trained: { parts: 'lora', rank: 2 },
  value: { hiddenWidths: [4] },
  speech: { maxLength: 8, maxPromptTokens: 256 },
  evaluation: { episodes: 2 },
  checkpointEvery: 1,
};

describe('a run of PPO in ALFWorld', () => {
  let whole: FinishedPpo;
  beforeAll(async () => {
    whole = await trainPpo({ ...short, out: join(folder, 'whole') }, plainHost());
  });

  it('trains the model that knows its games, and plays held-out games before and after', () => {
    const { config, before, after, outcome } = whole;
    expect(config.policy).toBe('emma-tiny');
    expect(outcome).toMatchObject({ update: 2, environmentSteps: 8 });
    const ids = before!.games.map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    expect(after!.games.map(({ id }) => id)).toEqual(ids);
    expect(before!.games.map(({ steps }) => steps)).toEqual([3, 3]);
    const adapters = ['00000000', '00000010'].map((checkpoint) =>
      readFileSync(join(whole.folder, 'checkpoints', checkpoint, 'adapter_model.safetensors'), 'base64'),
    );
    expect(adapters[0]).not.toBe(adapters[1]);
  });

  it('resumes after a stop to the same bytes, mid-episode', async () => {
    const stopped = await stoppedAndGoneOn({ ...short, out: join(folder, 'stopped') }, 1);
    expect(contentOf(stopped)).toEqual(contentOf(whole.folder));
  });

  it('is evaluated by its name', async () => {
    const asked = { env: 'alfworld', ckpt: whole.folder, numGames: 2 };
    const { result, config } = await evaluatedSteps(asked);
    expect(config).toMatchObject({ policy: 'emma-tiny', play: { maxSteps: 3 } });
    expect(result.games).toEqual(whole.after!.games);
  });
});

describe('the preset of small models', () => {
  it('has settings of its own for the shipped model', () => {
    const found = { environments: 32, stepsPerUpdate: 60, maxSteps: 30 };
    const begun = (given: Partial<GivenPpoConfig>) => ppoConfig(withFound({ env: 'alfworld', ...given }));
    expect(begun({})).toMatchObject({ play: found, trained: { parts: 'projection' } });
    expect(begun({ play: { environments: 2 } }).play).toMatchObject({ ...found, environments: 2 });
    const others = [
      { policy: './a-model' },
      { init: 'runs/a' },
      { trained: { rank: 4 } },
      { speech: { observe: 'text' } },
      { world: { kind: 'http' } },
      { env: 'gym_cards/NumberLine-v0' },
    ] as const;
    for (const other of others) expect(begun(other).play.stepsPerUpdate).not.toBe(60);
  });

  it('has few environments and short answers for actions of words, and other numbers elsewhere', () => {
    const few = { play: { environments: 4, stepsPerUpdate: 16, maxSteps: null }, speech: { maxLength: 24 } };
    // also of an evaluation
    expect(ppoConfig({ env: 'alfworld' })).toMatchObject({ ...few, games: null });
    expect(ppoConfig({ env: 'gym_cards/NumberLine-v0' }).play.environments).toBeGreaterThan(4);
  });
});

it.each<[RegExp, Partial<GivenPpoConfig>]>([
  [/^--policy mlp: reads arrays .*actions of alfworld are words; give a vision-language/, { policy: 'mlp' }],
  [/^--curriculum: .*; leave it out$/, { curriculum: { formula: 'half' } }],
  [
    /^--utility: is for environments whose actions have numbers, got --env alfworld/,
    { shaping: { utility: 'reward' } },
  ],
  [
    /^--temporal-predictor: is for environments whose actions have numbers/,
    { shaping: { temporalPredictor: 0.1 } },
  ],
  [/^--games nowhere: does not exist/, { games: 'nowhere' }],
  [
    /^--eval-on: is for environments whose tasks and actions are words/,
    { env: 'MiniGrid-Empty-5x5-v0', evaluation: { on: 'x' } },
  ],
])('settings that mean nothing are refused before a run is made: %s', async (message, given) => {
  const out = join(folder, 'refused');
  await expect(trainPpo({ ...short, ...given, out })).rejects.toThrow(message);
  expect(existsSync(out)).toBe(false);
});
