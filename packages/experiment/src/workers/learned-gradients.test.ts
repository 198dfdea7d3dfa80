/** Gradient shards of PPO and GRPO give the bytes of one process, wherever they are computed. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { onFailpoint } from '@emac/files';
import { plainHost } from '@emac/opening';
import type { GivenGrpoConfig, GivenPpoConfig } from '@emac/settings';
import { alsoLong } from '@emac/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { resume } from '../methods.ts';
import { trainGrpo } from '../grpo/train-grpo.ts';
import { contentOf } from '../reinforcement/run-content.test.support.ts';
import { trainPpo } from '../reinforcement/train-ppo.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { language as small, robot as moved } from './small-updates.test.support.ts';
import { localWorkers, type LocalWorkers } from './workers.test.support.ts';

const folder = temporaryFolder();
let runs = 0;
afterEach(() => onFailpoint(null));

type Host = ReturnType<typeof plainHost>;
type Train = (out: string, host: Host) => Promise<{ readonly folder: string }>;

const byPpo =
  (given: GivenPpoConfig): Train =>
  (out, host) =>
    trainPpo({ ...given, out }, host);
const byGrpo =
  (given: GivenGrpoConfig & { readonly role: 'speaker' | 'listener' }): Train =>
  (out, host) =>
    trainGrpo({ ...given, out }, host);

/** The workers' reports of computed shards. */
function shardsBy({ said }: Pick<LocalWorkers, 'said'>): string[] {
  return said.filter((line) => line.startsWith('computed'));
}

/** A run's content, and the shards computed by its workers. */
async function over(count: number, train: Train) {
  const out = join(folder, `run-${++runs}`);
  const workers = count === 0 ? undefined : localWorkers(out, count);
  const { folder: run } = await train(join(out, 'runs'), { ...plainHost(), workers });
  await workers?.stop();
  return { run, content: contentOf(run), shards: workers ? shardsBy(workers) : [] };
}

/** Two updates of eight steps, each with two minibatches of four. */
const network: GivenPpoConfig = {
  env: 'MiniGrid-Empty-5x5-v0',
  policy: 'mlp',
  play: { environmentSteps: 16, environments: 2, stepsPerUpdate: 4, together: 1, maxSteps: 6 },
  optimization: { passes: 1, minibatchSize: 4, valueInitSteps: 0, targetKl: null, gradientShards: 2 },
  evaluation: { episodes: 0 },
  checkpointEvery: 1,
};

/** Two updates of six steps in one minibatch each. */
const language: GivenPpoConfig = { ...small, optimization: { ...small.optimization, gradientShards: 3 } };

const credited: GivenPpoConfig = {
  ...language,
  env: 'MiniGrid-Empty-5x5-v0',
  play: { ...language.play, maxSteps: 3 },
  optimization: { ...language.optimization, passes: 2, learningRate: 0.02, valueInitSteps: 1 },
  losses: { credit: 'answer', entropyCoefficient: 0.01, valueClip: 0.2, ratioGuard: 1.01 },
  trained: { parts: 'lora', rank: 2 },
  value: { hiddenWidths: [4], learns: 'policy' },
};

const robot: GivenPpoConfig = { ...moved, optimization: { ...moved.optimization, gradientShards: 2 } };

const answering: Omit<GivenGrpoConfig, 'role'> = {
  policy: 'lewis-tiny',
  play: { updates: 2, promptsPerUpdate: 3, groupSize: 3, together: 1 },
  losses: { maxLength: 12, beta: 0.1 },
  optimization: { gradientShards: 2 },
  rewards: { accuracy: 'soft_always' },
  trained: { rank: 2, dropout: 0.2 },
  evaluation: { episodes: 0 },
  checkpointEvery: 1,
};

describe('gradients of workers', () => {
  it.each<readonly [string, Train, number]>([
    // updates · minibatches · shards
    ['PPO of a perceptron', byPpo(network), 2 * 2 * 2],
    ...alsoLong<readonly [string, Train, number]>([
      ['PPO of a network of pictures', byPpo({ ...network, policy: 'cnn' }), 2 * 2 * 2],
      ['PPO of a model that moves a robot', byPpo(robot), 2 * 2],
      ['GRPO of a listener', byGrpo({ ...answering, role: 'listener' }), 2 * 2],
    ]),
    ['PPO of a language model with values of an adapter of their own', byPpo(language), 2 * 3],
    ['GRPO of a speaker, which drops inputs', byGrpo({ ...answering, role: 'speaker' }), 2 * 2],
  ])('%s are those of one process, however many workers there are', async (_name, train, shards) => {
    const alone = await over(0, train);
    expect([...alone.content.keys()]).toContain('metrics.jsonl');
    for (const count of [2, ...alsoLong([1, 4])]) {
      const many = await over(count, train);
      expect(many.content).toEqual(alone.content);
      expect(many.shards).toHaveLength(shards);
    }
  });

  it('are those of one process: critic first, then also the policy, and guarded answers again', async () => {
    const train = byPpo(credited);
    const alone = await over(0, train);
    const lines = readFileSync(join(alone.run, 'metrics.jsonl'), 'utf8').trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { policy_learns: number }).policy_learns)).toEqual([
      0, 1,
    ]);
    const many = await over(2, train);
    expect(many.content).toEqual(alone.content);
    // two passes per update, and one minibatch's gradient again without its guarded answers
    expect(many.shards.length).toBe(2 * 2 * 3 + 3);
  });

  it('start from a run that only the trainer sees', async () => {
    const first = await over(0, byPpo(language));
    const train = byPpo({ ...language, init: first.run, trained: { parts: 'lora' } });
    const [alone, many] = [await over(0, train), await over(2, train)];
    expect(many.content).toEqual(alone.content);
    expect(many.shards).toHaveLength(2 * 3);
  });
});

describe('a trainer that ends between two checkpoints', () => {
  it.each<readonly [string, Train, (run: string, host: Host) => Promise<unknown>]>([
    ['of PPO', byPpo({ ...network, checkpointEvery: 2 }), resume],
    ...alsoLong<readonly [string, Train, (run: string, host: Host) => Promise<unknown>]>([
      ['of GRPO', byGrpo({ ...answering, role: 'speaker', checkpointEvery: 2 }), resume],
    ]),
  ])(
    '%s resumes from its last checkpoint, reuses results computed since, and ends in the same bytes',
    async (_name, train, resume) => {
      const alone = await over(0, train);
      const out = join(folder, `run-${++runs}`);
      const workers = localWorkers(out, 2);
      // the first update is learned, and not in a checkpoint
      onFailpoint((name) => {
        if (name === 'updating') throw new EmacError('io', 'the trainer is gone');
      });
      const fault = train(join(out, 'runs'), { ...plainHost(), workers });
      await expect(fault).rejects.toThrow('the trainer is gone');
      onFailpoint(null);
      const before = shardsBy(workers).length;
      expect(before).toBeGreaterThan(0);
      const run = join(out, 'runs', readdirSync(join(out, 'runs'))[0]!);
      await resume(run, { ...plainHost(), workers });
      await workers.stop();
      expect(contentOf(run)).toEqual(alone.content);
      const shards = shardsBy(workers);
      // nothing was computed twice: each shard of both updates, once
      expect(new Set(shards).size).toBe(shards.length);
      expect(shards.length).toBe(2 * before);
    },
  );
});
