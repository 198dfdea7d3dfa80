/** Values survive the shared folder unchanged. */
import { join } from 'node:path';
import { Random, type Frame, type Observation } from '@emac/core';
import { plainHost } from '@emac/opening';
import { sharedFolder } from '@emac/queue';
import type { RecordedEpisode } from '@emac/rollout';
import { carried, carry, readVersion, sharedGame, shareGame, storeVersion } from '@emac/workers';
import { builtinGame, parseGame } from '@emac/world';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { train } from '../training/train.ts';
import { evaluatePolicy } from '../evaluation/evaluate-policy.ts';
import { work } from '../work.ts';
import { localWorkers } from './workers.test.support.ts';

const folder = temporaryFolder();
const shared = sharedFolder(join(folder, 'data'));

function frame(seed: number): Frame {
  const random = Random.fromSeed(seed);
  return { width: 3, height: 2, data: Uint8Array.from({ length: 18 }, () => random.integer(256)) };
}

const seen = (parts: Partial<Observation> = {}): Observation => {
  return { text: 'You see.', frames: [frame(1), frame(2)], admissible: ['go a', 'look'], ...parts };
};

const episode: RecordedEpisode = {
  first: seen({ arrays: { grid: { shape: [3], data: Float32Array.of(0.1, -0, 1e-38) } } }),
  steps: [
    {
      answer: { text: 'go a', tokens: [3, 1], logProbabilities: [-0.1, -1e-9], entropies: [0.3, 0] },
      label: { kind: 'action', command: 'go a', thoughts: ['so'] },
      action: 'go a',
      result: {
        observation: seen({ frames: [], admissible: null, agent: 'b' }),
        reward: 0.1,
        terminated: true,
        truncated: false,
        info: { won: true, b: [1, null], a: { private: 'x' } },
      },
    },
  ],
  fault: null,
};

describe('an episode', () => {
  it('keeps its pictures, arrays and numbers, and the order of its names', async () => {
    const held = await carry(shared, episode);
    const back = await carried<RecordedEpisode>(shared, held);
    expect(back).toEqual(episode);
    expect(Object.keys(back.steps[0]!.result.info)).toEqual(['won', 'b', 'a']);
    expect(await carry(shared, back)).toEqual(held);
  });

  it('keeps numbers that JSON has no word for', async () => {
    for (const reward of [NaN, -Infinity, -0]) {
      const step = { ...episode.steps[0]!, result: { ...episode.steps[0]!.result, reward } };
      const back = await carried<RecordedEpisode>(shared, await carry(shared, { ...episode, steps: [step] }));
      expect(back.steps[0]!.result.reward).toBe(reward);
    }
  });
});

describe('a value beside the queue', () => {
  it('is in its job if small, else in the folder', async () => {
    for (const length of [10, 100_000]) {
      const value = { memories: ['m'.repeat(length)] };
      const held = await carry(shared, value);
      expect(JSON.stringify(held).length).toBeLessThan(1000);
      expect(await carried(shared, held)).toEqual(value);
    }
  });

  it('is waited for, since a folder on a network may show it later', async () => {
    const late = sharedFolder(join(folder, 'late'));
    const hash = shared.put(Buffer.from('{"late":1}'));
    const asked = carried(late, { hash });
    setTimeout(() => late.put(Buffer.from('{"late":1}')), 100);
    expect(await asked).toEqual({ late: 1 });
  });
});

it('a policy version has its own name, and keeps every number', async () => {
  const parameters = new Map([['w', { shape: [3], data: Float32Array.of(0.1, -0, 1e-38) }]]);
  const adapter = { rank: 2, alpha: 4, rankStabilized: true, dropout: 0, targets: ['q_proj'] as const };
  const name = storeVersion(shared, { parameters, adapter });
  expect(await readVersion(shared, name)).toEqual({ parameters, adapter });
  // a resumed run has the settings of its adapter in another order
  const reordered = Object.fromEntries(Object.entries(adapter).reverse()) as unknown as typeof adapter;
  expect(storeVersion(shared, { parameters, adapter: reordered })).toBe(name);
  const without = storeVersion(shared, { parameters, adapter: null });
  expect(without).not.toBe(name);
  expect(await readVersion(shared, without)).toEqual({ parameters, adapter: null });
});

it('a built-in game needs only its id, another its file', async () => {
  const { id, file } = builtinGame('valid_seen', 3);
  const game = parseGame(JSON.stringify(file), { id });
  expect((await sharedGame(shared, shareGame(shared, game))).walkthrough).toEqual(game.walkthrough);
  const own = { id: 'own/game', file: shared.put(Buffer.from(JSON.stringify(file))) };
  const back = await sharedGame(shared, own);
  expect([back.id, back.walkthrough]).toEqual(['own/game', game.walkthrough]);
  await expect(sharedGame(shared, { id: 'own/game', file: null })).rejects.toMatchObject({ code: 'data' });
});

it("jobs are named by the playing code: other versions' results are not found", async () => {
  const workers = localWorkers(join(folder, 'named'), 0);
  const stop = new AbortController();
  const host = { ...plainHost({ signal: stop.signal }), workers };
  const asked = evaluatePolicy({ ckpt: 'emma-tiny', numGames: 1, maxSteps: 1 }, host).catch(() => null);
  const lease = await workers.queue.lease();
  const { plan } = lease!.job.input as { readonly plan: string };
  expect(lease!.job.name.run).toContain(plan.slice(0, 12));
  expect(JSON.parse(Buffer.from(workers.folder.get(plan)).toString())).toMatchObject({
    versions: { node: process.version, code: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
  });
  stop.abort();
  await asked;
});

describe('settings that workers do not support', () => {
  const workers = localWorkers(folder, 0);
  const host = { ...plainHost(), workers };

  it.each([
    [{ world: { kind: 'http' as const } }, '--world http'],
    [
      { expert: { kind: 'openai' as const }, play: { expertShare: { start: 1, decay: 0.5 } } },
      'labels of --expert openai are computed after workers have played',
    ],
  ])('is refused in a sentence: %j', async (given, word) => {
    const asked = train({ phase: 'bc', out: join(folder, 'refused'), ...given }, host);
    await expect(asked).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(word) as string,
    });
  });

  it('is reported to a worker with another folder, and another worker gets its job', async () => {
    const workers = localWorkers(folder, 1, { theirs: join(folder, 'another') });
    const stop = new AbortController();
    const host = { ...plainHost({ signal: stop.signal }), workers };
    const evaluating = evaluatePolicy({ ckpt: 'emma-tiny', numGames: 1, maxSteps: 1 }, host);
    const failed = evaluating.catch((thrown: unknown) => thrown);
    const [ended] = await workers.ended();
    expect(ended).toMatchObject({
      status: 'rejected',
      reason: {
        code: 'config',
        message: expect.stringMatching(/cannot play for this run: .*another/) as string,
      },
    });
    expect(await workers.queue.counts()).toEqual({ waiting: 1, leased: 0 });
    stop.abort();
    expect(await failed).toMatchObject({ code: 'interrupted' });
    expect(await workers.queue.counts()).toEqual({ waiting: 0, leased: 0 });
  });

  it('is reported to a worker that computes differently', async () => {
    const workers = localWorkers(folder, 0);
    const stop = new AbortController();
    const host = { ...plainHost({ signal: stop.signal }), workers };
    const asked = evaluatePolicy({ ckpt: 'emma-tiny', numGames: 1, maxSteps: 1 }, host);
    const failed = asked.catch((thrown: unknown) => thrown);
    const identity = { id: 'w', host: 'here', pid: 1 };
    const other = work({ ...workers, identity, host: plainHost(), model: 'rl-tiny' });
    await expect(other).rejects.toMatchObject({
      code: 'config',
      message: expect.stringMatching(/model is [0-9a-f]{12} here and [0-9a-f]{12} on the trainer/) as string,
    });
    stop.abort();
    expect(await failed).toMatchObject({ code: 'interrupted' });
  });
});
