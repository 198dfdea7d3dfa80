/** A run whose workers play ahead has the bytes of one process with the same older policies. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onFailpoint } from '@emac/files';
import { plainHost } from '@emac/opening';
import type { GivenPpoConfig } from '@emac/settings';
import { alsoLong, isLong } from '@emac/testing';
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

/** 4 updates of 4 groups. */
const network: GivenPpoConfig = {
  env: 'MiniGrid-Empty-5x5-v0',
  policy: 'mlp',
  play: { environmentSteps: 128, environments: 4, stepsPerUpdate: 8, together: 1, maxSteps: 6 },
  evaluation: { episodes: 0 },
  checkpointEvery: 1,
};

/** 4 updates of 2 groups. */
const language: GivenPpoConfig = { ...small, play: { ...small.play, environmentSteps: 24 } };

const older = (given: GivenPpoConfig, maxStaleness: number): GivenPpoConfig => ({
  ...given,
  optimization: { ...given.optimization, maxStaleness },
});

const linesOf = (run: string) =>
  readFileSync(join(run, 'metrics.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Readonly<Record<string, number>>);

const ownFolder = (): string => {
  const place = join(folder, `run-${++runs}`);
  mkdirSync(place);
  return place;
};

/** 4 updates of 3 prompts, each in its own batch. */
const answering = {
  policy: 'lewis-tiny',
  play: { updates: 4, promptsPerUpdate: 3, groupSize: 3, together: 1 },
  losses: { maxLength: 12, beta: 0.1 },
  rewards: { accuracy: 'soft_always' },
  optimization: { maxStaleness: 2 },
  trained: { rank: 2 },
  evaluation: { episodes: 0 },
  checkpointEvery: 1,
} as const;

async function alone(given: GivenPpoConfig): Promise<string> {
  return (await trainPpo({ ...given, out: ownFolder() })).folder;
}

it.each([
  ...alsoLong([['a perceptron', network, 16, 1]] as const),
  ['a perceptron', network, 16, 3],
  ['a language model', language, 8, 1],
] as const)(
  '%s: no, one and four workers give the same metrics and checkpoints (%#)',
  async (_, given, jobs, limit) => {
    const here = await alone(older(given, limit));
    const stale = linesOf(here).map((line) => line['staleness']);
    expect(stale).toEqual([0, 1, 2, 3].map((update) => Math.min(update, limit)));
    for (const count of [2, ...alsoLong([1, 4])]) {
      const out = ownFolder();
      const workers = localWorkers(out, count);
      const { folder: there } = await trainPpo(
        { ...older(given, limit), out: join(out, 'runs') },
        { ...plainHost(), workers },
      );
      expect(contentOf(there)).toEqual(contentOf(here));
      const did = (await workers.stop()).map(({ counted }) => counted);
      expect(did.reduce((sum, each) => sum + each, 0)).toBe(jobs);
      expect(await workers.queue.counts()).toEqual({ waiting: 0, leased: 0 });
    }
  },
);

it.each(['speaker', ...alsoLong(['listener'] as const)] as const)(
  'GRPO of a %s: no, one and four workers give the same metrics and checkpoints',
  async (role) => {
    const { folder: here } = await trainGrpo({ ...answering, role, out: ownFolder() });
    expect(linesOf(here).map((line) => line['staleness'])).toEqual([0, 1, 2, 2]);
    for (const count of [2, ...alsoLong([1, 4])]) {
      const out = ownFolder();
      const workers = localWorkers(out, count);
      const host = { ...plainHost(), workers };
      const { folder: there } = await trainGrpo({ ...answering, role, out: join(out, 'runs') }, host);
      expect(contentOf(there)).toEqual(contentOf(here));
      const did = (await workers.stop()).map(({ counted }) => counted);
      expect(did.reduce((sum, each) => sum + each, 0)).toBe(12);
    }
  },
);

it('GRPO of a listener is refused if a service provides descriptions', async () => {
  const given = { ...answering, role: 'listener', speaker: 'http://127.0.0.1:9' } as const;
  await expect(trainGrpo({ ...given, out: ownFolder() })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringMatching(/--max-staleness 2: .* --speaker http:/) as string,
  });
});

it.runIf(isLong)('GRPO stopped after an update resumes to the same bytes', async () => {
  const given = { ...answering, role: 'speaker' } as const;
  const { folder: undisturbed } = await trainGrpo({ ...given, out: ownFolder() });
  const out = ownFolder();
  const stop = stopAfter(2);
  const workers = localWorkers(out, 2);
  const host = { ...plainHost({ signal: stop }), workers };
  await expect(trainGrpo({ ...given, out: join(out, 'runs') }, host)).rejects.toMatchObject({
    code: 'interrupted',
  });
  onFailpoint(null);
  const run = join(out, 'runs', readdirSync(join(out, 'runs'))[0]!);
  await resume(run, { ...plainHost(), workers });
  expect(contentOf(run)).toEqual(contentOf(undisturbed));
  await workers.stop();
});

it('learns differently than from its own steps, and reports staleness only if there is any', async () => {
  const [newest, stale] = [await alone(network), await alone(older(network, 1))];
  expect(Object.keys(linesOf(newest)[1]!)).not.toContain('staleness');
  const [own, first] = [linesOf(newest)[0]!, linesOf(stale)[0]!];
  // the first update has no older policy
  expect(first).toEqual({ ...own, staleness: 0 });
  expect(linesOf(stale)[2]!['policy_loss']).not.toBe(linesOf(newest)[2]!['policy_loss']);
});

it.each([2, ...alsoLong([1])])(
  'resumes after %i updates to the same bytes, here or with workers, without playing anything twice',
  async (update) => {
    const given = older(network, 2);
    const undisturbed = contentOf(await alone(given));
    for (const count of [0, 2]) {
      const out = ownFolder();
      const stop = stopAfter(update);
      const workers = localWorkers(out, 2);
      const begun = trainPpo(
        { ...given, out: join(out, 'runs') },
        { ...plainHost({ signal: stop }), workers },
      );
      await expect(begun).rejects.toMatchObject({ code: 'interrupted' });
      onFailpoint(null);
      const run = join(out, 'runs', readdirSync(join(out, 'runs'))[0]!);
      await resume(run, count === 0 ? plainHost() : { ...plainHost(), workers });
      expect(contentOf(run)).toEqual(undisturbed);
      const did = (await workers.stop()).map(({ counted }) => counted);
      if (count > 0) expect(did.reduce((sum, each) => sum + each, 0)).toBe(16);
    }
  },
);
