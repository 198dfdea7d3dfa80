/** Reinforcement learning over workers ends in the bytes that one process ends in, asked in the same groups. */
import { join } from 'node:path';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { GivenGrpoConfig, LewisRole } from '../config/grpo-config.ts';
import type { GivenPpoConfig } from '../config/ppo-config.ts';
import { trainGrpo } from '../lewis/train-grpo.ts';
import { contentOf } from '../reinforcement/run-content.test.support.ts';
import { resumePpo, trainPpo } from '../reinforcement/train-ppo.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { plainHost } from '../training/train.ts';
import { localWorkers } from './workers.test.support.ts';

const folder = temporaryFolder();
let runs = 0;

/** What a run holds, and how many jobs its workers did: none, or so many in parallel. */
async function over(
  count: number,
  train: (out: string, host: ReturnType<typeof plainHost>) => Promise<{ readonly folder: string }>,
) {
  const out = join(folder, `run-${++runs}`);
  const workers = count === 0 ? undefined : localWorkers(out, count);
  const { folder: run } = await train(join(out, 'runs'), { ...plainHost(), workers });
  const done = ((await workers?.stop()) ?? []).map(({ counted }) => counted);
  return { run, content: contentOf(run), done, jobs: done.reduce((sum, each) => sum + each, 0) };
}

const network: GivenPpoConfig = {
  env: 'MiniGrid-Empty-5x5-v0',
  play: { environmentSteps: 96, environments: 4, stepsPerUpdate: 8, together: 1, maxSteps: 6 },
  evaluation: { episodes: 2 },
  checkpointEvery: 1,
};

/** rl-tiny says JSON, or nothing that is an action: then one is drawn. */
const language: GivenPpoConfig = {
  env: 'gym_cards/NumberLine-v0',
  policy: 'rl-tiny',
  play: { environmentSteps: 12, environments: 3, stepsPerUpdate: 2, together: 2 },
  optimization: { epochs: 1, minibatchSize: 6, learningRate: 0.003, valueInitSteps: 0, targetKl: null },
  trained: { parts: 'projection,lora', rank: 2 },
  value: { hiddenWidths: [4], learns: 'adapter' },
  speech: { maxLength: 16 },
  evaluation: { episodes: 0 },
  checkpointEvery: 1,
};

/** Actions as tokens, scored by the policy, of which one is drawn where the answer leaves it open. */
const ofFixtures: GivenPpoConfig = {
  ...language,
  env: 'gym_cards/EZPoints-v0',
  policy: fileURLToPath(new URL('../../../backbone/fixtures/families/qwen2_vl', import.meta.url)),
  speech: { maxLength: 8, maxTextTokens: 990, actionScores: true },
};

describe('PPO', () => {
  const trained = (given: GivenPpoConfig) => (out: string, host: ReturnType<typeof plainHost>) =>
    trainPpo({ ...given, out }, host);

  it.each([
    ['a perceptron, environment by environment', network, 12],
    ['a network of pictures, two environments at a time', { ...network, policy: 'cnn', play: { ...network.play, together: 2 } }, 6],
    ['a language model with values of an adapter of their own', language, 4],
    ['a language model that scores actions', ofFixtures, 4],
  ] as const)('of %s has the same metrics and checkpoints with no, one and four workers', async (_name, given, jobs) => {
    const alone = await over(0, trained(given as GivenPpoConfig));
    expect([...alone.content.keys()]).toContain('metrics.jsonl');
    for (const count of [1, 4]) {
      const many = await over(count, trained(given as GivenPpoConfig));
      expect(many.content).toEqual(alone.content);
      expect(many.jobs).toBe(jobs);
      if (count === 4) expect(Math.max(...many.done)).toBeLessThan(jobs);
    }
  });
});
