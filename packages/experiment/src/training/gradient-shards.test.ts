/**
 * PPO and GRPO with gradient shards: the first update equals that of one shard up to rounding, and a resumed run keeps
 * its number of shards.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onFailpoint } from '@emac/files';
import { plainHost } from '@emac/opening';
import type { GivenGrpoConfig, GivenPpoConfig } from '@emac/settings';
import { afterEach, describe, expect, it } from 'vitest';
import { resume } from '../methods.ts';
import { trainGrpo } from '../grpo/train-grpo.ts';
import { contentOf } from '../reinforcement/run-content.test.support.ts';
import { trainPpo } from '../reinforcement/train-ppo.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';

const folder = temporaryFolder();
afterEach(() => onFailpoint(null));

const shared = {
  env: 'gym_cards/NumberLine-v0',
  play: { environmentSteps: 24, environments: 4, stepsPerUpdate: 2 },
  evaluation: { episodes: 0 },
  checkpointEvery: 1,
} as const;
const optimization = { epochs: 1, minibatchSize: 8, valueInitSteps: 0, targetKl: null };

/** By name the numbers of the first update. */
function firstUpdate(run: string): Record<string, number> {
  const [line] = readFileSync(join(run, 'metrics.jsonl'), 'utf8').split('\n');
  return JSON.parse(line!) as Record<string, number>;
}

function expectNear(one: string, other: string): void {
  const [whole, shards] = [firstUpdate(one), firstUpdate(other)];
  expect(Object.keys(shards)).toEqual(Object.keys(whole));
  expect(whole['gradient_norm']).toBeGreaterThan(0);
  for (const [name, value] of Object.entries(whole))
    if (typeof value === 'number') expect(shards[name], name).toBeCloseTo(value, 4);
}

describe('PPO in shards', () => {
  const small: GivenPpoConfig = { ...shared, policy: 'mlp' };
  const model: GivenPpoConfig = {
    ...shared,
    policy: 'rl-tiny',
    trained: { parts: 'lora', rank: 2 },
    value: { hiddenWidths: [16] },
    speech: { maxLength: 16 },
  };
  const inShards = (given: GivenPpoConfig, gradientShards: number, name: string): GivenPpoConfig => ({
    ...given,
    optimization: { ...optimization, gradientShards },
    out: join(folder, name),
  });
  const known = new Map<string, ReturnType<typeof trainPpo>>();
  /** Trained once. */
  const trained = (given: GivenPpoConfig, gradientShards: number): ReturnType<typeof trainPpo> => {
    const name = `${given.policy} in ${gradientShards}`;
    const run = known.get(name) ?? trainPpo(inShards(given, gradientShards, name));
    known.set(name, run);
    return run;
  };

  it.each([
    ['a small network', small],
    ['a model', model],
  ])('of %s is that of one to rounding', async (_name, given) => {
    const [one, three] = [await trained(given, 1), await trained(given, 3)];
    expectNear(one.folder, three.folder);
    expect(three.config.optimization.gradientShards).toBe(3);
  });

  it('resumes after a stop with as many', async () => {
    const whole = await trained(model, 3);
    const stop = new AbortController();
    onFailpoint((name) => void (name === 'updating' && stop.abort()));
    const stopped = trainPpo(inShards(model, 3, 'stopped'), plainHost({ signal: stop.signal }));
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
    onFailpoint(null);
    const run = join(folder, 'stopped', readdirSync(join(folder, 'stopped'))[0]!);
    await resume(run);
    expect(contentOf(run)).toEqual(contentOf(whole.folder));
    expect(contentOf(run)).not.toEqual(contentOf((await trained(model, 1)).folder));
  });
});

it('GRPO in shards is that of one to rounding', async () => {
  const given = {
    role: 'speaker',
    policy: 'lewis-tiny',
    play: { updates: 1, promptsPerUpdate: 2, groupSize: 3 },
    rewards: { accuracy: 'soft_always' },
    losses: { maxLength: 12, beta: 0.1 },
    trained: { rank: 2 },
    evaluation: { episodes: 0 },
  } as const satisfies GivenGrpoConfig;
  const [one, four] = await Promise.all(
    [1, 4].map((gradientShards) =>
      trainGrpo({ ...given, optimization: { gradientShards }, out: join(folder, `grpo-${gradientShards}`) }),
    ),
  );
  expectNear(one!.folder, four!.folder);
});
