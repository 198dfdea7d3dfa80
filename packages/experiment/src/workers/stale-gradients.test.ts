/** Older policies that play, while workers also compute gradients: the bytes of one process, stopped or not. */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { onFailpoint } from '@emac/files';
import { plainHost } from '@emac/opening';
import type { GivenPpoConfig } from '@emac/settings';
import { isLong } from '@emac/testing';
import { expect, it } from 'vitest';
import { resume } from '../methods.ts';
import { trainGrpo } from '../grpo/train-grpo.ts';
import { contentOf } from '../reinforcement/run-content.test.support.ts';
import { trainPpo } from '../reinforcement/train-ppo.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { language as small, stopAfter } from './small-updates.test.support.ts';
import { localWorkers } from './workers.test.support.ts';

const folder = temporaryFolder();
let runs = 0;

const ownFolder = (): string => {
  const place = join(folder, `run-${++runs}`);
  mkdirSync(place);
  return place;
};

/** 4 updates of 2 groups, with one gradient of 3 shards; the critic has its own adapter. */
const language: GivenPpoConfig = {
  ...small,
  play: { ...small.play, environmentSteps: 24 },
  optimization: { ...small.optimization, maxStaleness: 2, gradientShards: 3 },
  evaluation: { episodes: 2 },
};

/** 4 updates of 3 prompts, each in its own batch, with one gradient of 2 shards. */
const answering = {
  policy: 'lewis-tiny',
  play: { updates: 4, promptsPerUpdate: 3, groupSize: 3, together: 1 },
  losses: { maxLength: 12, beta: 0.1 },
  rewards: { accuracy: 'soft_always' },
  optimization: { maxStaleness: 2, gradientShards: 2 },
  trained: { rank: 2, dropout: 0.5 },
  evaluation: { episodes: 0 },
  checkpointEvery: 1,
} as const;

it.runIf(isLong)('PPO, stopped after two updates, ends in the bytes of one process', async () => {
  const { folder: here } = await trainPpo({ ...language, out: ownFolder() });
  const out = ownFolder();
  const workers = localWorkers(out, 2);
  const given = { ...language, out: join(out, 'runs') };
  const stopped = trainPpo(given, { ...plainHost({ signal: stopAfter(2) }), workers });
  await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
  onFailpoint(null);
  const run = join(out, 'runs', readdirSync(join(out, 'runs'))[0]!);
  await resume(run, { ...plainHost(), workers });
  expect(contentOf(run)).toEqual(contentOf(here));
  const did = (await workers.stop()).map(({ counted }) => counted);
  // 4 evaluated episodes, 8 groups, 12 parts: nothing is done twice
  expect(did.reduce((sum, each) => sum + each, 0)).toBe(24);
  expect(await workers.queue.counts()).toEqual({ waiting: 0, leased: 0 });
  expect(await workers.queue.runs()).toEqual([]);
});

it('GRPO, stopped after two updates, ends in the bytes of one process', async () => {
  const { folder: here } = await trainGrpo({ ...answering, role: 'speaker', out: ownFolder() });
  const out = ownFolder();
  const workers = localWorkers(out, 2);
  const given = { ...answering, role: 'speaker', out: join(out, 'runs') } as const;
  const stopped = trainGrpo(given, { ...plainHost({ signal: stopAfter(2) }), workers });
  await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
  onFailpoint(null);
  const run = join(out, 'runs', readdirSync(join(out, 'runs'))[0]!);
  await resume(run, { ...plainHost(), workers });
  expect(contentOf(run)).toEqual(contentOf(here));
  const did = (await workers.stop()).map(({ counted }) => counted);
  // 12 groups and 8 parts
  expect(did.reduce((sum, each) => sum + each, 0)).toBe(20);
  expect(await workers.queue.runs()).toEqual([]);
});
