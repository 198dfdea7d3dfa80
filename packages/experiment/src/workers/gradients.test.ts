/** Gradients in shards: what goes through the shared folder comes back, and training ends in the same bytes whoever computes them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ActorCriticGradient, ActorCriticRow, Gradient, GradientRow } from '@emac/core';
import { encodePng } from '@emac/images';
import { clippedPolicyLoss, imitationLoss, preferenceLossOf, valueLossOf } from '@emac/losses';
import { plainHost } from '@emac/opening';
import { runWorker, sharedFolder } from '@emac/queue';
import { programVersions, type GivenSettings, type TrainConfig } from '@emac/settings';
import { alsoLong } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { trainPhases } from '../training/train.ts';
import { benchOf, type Bench } from './bench.ts';
import { readActorGradient, readGradient, storeActorGradient, storeGradient } from './gradient-file.ts';
import { gradientWork } from './gradient-work.ts';
import { playWork } from './play-work.ts';
import { readActorShard, readShard, shardStore } from './shard-file.ts';
import { players, work } from '../work.ts';
import { contents, localWorkers } from './workers.test.support.ts';

const folder = temporaryFolder();

describe('in the shared folder', () => {
  const shared = sharedFolder(join(folder, 'data'));
  const features = (key: string, ...data: number[]) => ({ key, data: Float32Array.from(data) });
  const picture = features('one', 0.1, -0, 1e-38);

  it('a shard comes back with its features, answers and numbers', async () => {
    const rows: GradientRow[] = [
      {
        prompt: [
          { kind: 'image', features: picture },
          { kind: 'image', features: features('two', 3) },
          { kind: 'text', text: 'go >' },
        ],
        answers: ['a', [3, 2]],
        weight: 0.1,
        temperature: 0.7,
        constants: { referenceChosen: -1 / 3, each: [0.5, -0.25] },
      },
      { prompt: [{ kind: 'image', features: picture }], answers: [''], weight: 1e-30 },
    ];
    const loss = preferenceLossOf({ beta: 0.1, mixRatio: 0.5 });
    const { put } = shardStore(shared);
    const hash = put({ rows, loss });
    const back = await readShard(shared, hash);
    expect(back.rows).toEqual(rows);
    expect(shardStore(shared).put(back)).toBe(hash);
    expect(put({ rows, loss: imitationLoss })).not.toBe(hash);
    expect(put({ rows: rows.slice(1), loss })).not.toBe(hash);
  });

  it('a shard of an actor with a critic comes back with its arrays, both weights, and what JSON has no words for', async () => {
    const array = (name: string, data: Float32Array | Int32Array | Uint8Array) =>
      ({ kind: 'array', name, values: { shape: [data.length], data } }) as const;
    const large = Uint8Array.from({ length: 5_000 }, (_, place) => place % 251);
    // begins within another array
    const within = new Int32Array([7, -1, 2 ** 30]).subarray(1);
    const prompt = [
      array('frame', large),
      array('cells', within),
      array('angles', Float32Array.of(-0, 1e-45)),
    ];
    const row: ActorCriticRow = {
      prompt,
      answers: [[2]],
      temperature: 1,
      weight: 0,
      valueWeight: -0,
      constants: { advantage: -0, return: NaN, sampledLogProbability: [-Infinity] },
    };
    const kept = { own: true, sampledLogProbabilities: [-1] };
    const policy = clippedPolicyLoss({
      credit: 'token',
      clip: { low: 0.2, high: 0.3 },
      entropyCoefficient: 0.1,
    });
    const value = valueLossOf({ clip: 0.2 });
    const { put, putActor } = shardStore(shared);
    for (const losses of [
      { policy, value },
      { policy: null, value },
    ]) {
      const hash = putActor({ rows: [{ ...row, ...kept }], losses });
      const back = await readActorShard(shared, hash);
      // what losses do not read stays
      expect(back.rows).toEqual([row]);
      expect(Object.is(back.rows[0]!.constants!['advantage'], -0)).toBe(true);
      expect(shardStore(shared).putActor(back)).toBe(hash);
      expect(putActor({ rows: [row], losses: { ...losses, value: valueLossOf({ clip: null }) } })).not.toBe(
        hash,
      );
      expect(put({ rows: [row], loss: policy })).not.toBe(hash);
    }
  });

  it('a gradient of policy and values comes back', async () => {
    const gradient: ActorCriticGradient = {
      policyLoss: -0.1,
      valueLoss: 1 / 3,
      gradients: new Map([
        ['z', Float32Array.of(2)],
        ['a', Float32Array.of(-0)],
      ]),
      logProbabilities: [[], [-1, -2]],
      values: Float32Array.of(0.1, NaN),
    };
    const back = await readActorGradient(shared, storeActorGradient(shared, gradient));
    expect(back).toEqual(gradient);
    expect([...back.gradients.keys()]).toEqual(['z', 'a']);
  });

  it('a gradient comes back number for number, its parameters in their order', async () => {
    const gradient: Gradient = {
      loss: 0.1,
      gradients: new Map([
        ['z', Float32Array.of(-0, 1e-45, NaN)],
        ['a', Float32Array.of(Infinity)],
      ]),
      logProbabilities: [[-0.1, -1e-300], [], [NaN]],
    };
    const back = await readGradient(shared, storeGradient(shared, gradient));
    expect(back).toEqual(gradient);
    expect([...back.gradients.keys()]).toEqual(['z', 'a']);
  });
});

const given: GivenSettings = {
  play: {
    rounds: 1,
    gamesPerRound: 2,
    maxSteps: 4,
    episodesPerUpdate: 2,
    expertShare: { start: 0.5, decay: 1 },
  },
  optimization: { updatesPerEpisode: 2, batchSize: 6 },
  speech: { beams: 1 },
  expert: { noise: 0.3 },
  evaluation: { games: 0 },
  probe: false,
};
const isTimeless = (name: string) =>
  /^(metrics\.jsonl|buffers\/|checkpoints\/|reference\/)/.test(name) && !/latest/.test(name);
const both: readonly TrainConfig['phase'][] = ['bc', 'dpo'];

async function trained(name: string, count: number, settings: GivenSettings, phases = both) {
  const workers = count === 0 ? undefined : localWorkers(folder, count);
  const host = { ...plainHost(), workers };
  const runs = await trainPhases({ ...settings, out: join(folder, name) }, phases, host);
  const done = (await workers?.stop())?.map(({ counted }) => counted) ?? [];
  return {
    folders: runs.map((run) => run.folder),
    runs: runs.map((run) => contents(run.folder, isTimeless)),
    done: done.reduce((sum, each) => sum + each, 0),
  };
}

function withShards(gradientShards: number, optimization: GivenSettings['optimization'] = {}): GivenSettings {
  return { ...given, optimization: { ...given.optimization, ...optimization, gradientShards } };
}

/** By line of metrics.jsonl what updates measured. */
function updatesOf(run: string): Record<string, number>[] {
  return readFileSync(join(run, 'metrics.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, number> & { kind: string })
    .filter(({ kind }) => kind === 'update');
}

describe('training of both phases in four shards', () => {
  it('is that of one to rounding', async () => {
    const [one, four] = [await trained('one', 0, withShards(1)), await trained('four', 0, withShards(4))];
    expect(four.runs).not.toEqual(one.runs);
    for (const phase of [0, 1]) {
      const [whole, shards] = [updatesOf(one.folders[phase]!), updatesOf(four.folders[phase]!)];
      expect(shards.length).toBe(2 * 2);
      expect(shards[0]!['loss']).toBeCloseTo(whole[0]!['loss']!, 4);
      expect(shards[0]!['gradient_norm']! / whole[0]!['gradient_norm']!).toBeCloseTo(1, 4);
    }
  });

  it('ends in the same metrics, buffers and checkpoints with no, one and four workers', async () => {
    const settings = withShards(4);
    const alone = await trained('alone', 0, settings);
    const done: number[] = [];
    for (const count of [4, ...alsoLong([1])]) {
      const over = await trained(`by-${count}`, count, settings);
      expect(over.runs).toEqual(alone.runs);
      done.push(over.done);
    }
    // of each phase two episodes and four updates, of as many shards as there are rows, at most four
    expect(done[0]).toBeGreaterThan(2 * (2 + 4));
    expect(done[0]).toBeLessThanOrEqual(2 * (2 + 4 * 4));
    expect(new Set(done).size).toBe(1);
  });

  it('ends so with an adapter that drops inputs, scaled losses, and fewer rows than shards', async () => {
    const settings: GivenSettings = {
      ...withShards(4, {
        batchSize: 3,
        updatesPerEpisode: 1,
        lossScaling: { start: 2 ** 140, growth: 2, backoff: 2 ** -100, interval: 1000 },
      }),
      trained: { parts: 'lora', rank: 2, targets: 'q_proj,v_proj', dropout: 0.2 },
    };
    const alone = await trained('adapter-alone', 0, settings, ['bc']);
    const over = await trained('adapter-over', 2, settings, ['bc']);
    expect(over.runs).toEqual(alone.runs);
    expect(updatesOf(over.folders[0]!).map(({ skipped }) => skipped)).toEqual([1, 0]);
  });
});

describe('a worker that plays and learns for a run', () => {
  it('opens its plan once, for episodes and gradients', async () => {
    const alone = await trained('opened-alone', 0, withShards(2), ['bc']);
    const { queue, folder: shared } = localWorkers(join(folder, 'opened'), 0);
    const did: string[] = [];
    const bench = benchOf({
      folder: shared,
      host: plainHost(),
      model: null,
      players,
      did: (job) => void did.push(job),
    });
    const opened: string[] = [];
    const counting: Bench = {
      ...bench,
      opened: (name, open) => bench.opened(name, () => (opened.push(name), open())),
    };
    const stop = new AbortController();
    const working = runWorker({
      queue,
      handlers: { rollout: playWork(counting), gradient: gradientWork(counting) },
      identity: { id: 'w', host: 'here', pid: 1, versions: programVersions() },
      signal: stop.signal,
    });
    const host = { ...plainHost(), workers: { queue, folder: shared } };
    const [run] = await trainPhases({ ...withShards(2), out: join(folder, 'opened-over') }, ['bc'], host);
    stop.abort();
    await working;
    await bench.close();
    expect(contents(run!.folder, isTimeless)).toEqual(alone.runs[0]);
    // two episodes, four updates of two shards
    expect(did.filter((job) => job.startsWith('played'))).toHaveLength(2);
    expect(did.filter((job) => job.startsWith('computed'))).toHaveLength(8);
    expect(opened).toHaveLength(1);
  });
});

describe('training on a dataset in two shards', () => {
  const place = join(folder, 'dataset');
  const data = join(place, 'train.json');
  const dataset: GivenSettings = {
    ...withShards(2, { batchSize: 2, accumulate: 1 }),
    dataset: { data, epochs: 1 },
    play: {},
  };

  it("is computed by workers to the same bytes; one with another folder says so, and its job is another's again", async () => {
    mkdirSync(place);
    const image = { width: 3, height: 2, data: Uint8Array.from({ length: 18 }, (_, at) => 10 * at) };
    writeFileSync(join(place, 'one.png'), await encodePng(image));
    const texts = ['go to shelf 1', 'take mug 1', 'look'];
    const records = texts.map((text_output) => ({ image: 'one.png', text_input: 'You see.', text_output }));
    writeFileSync(data, JSON.stringify(records));
    const alone = await trained('dataset-alone', 0, dataset, ['bc']);

    const workers = localWorkers(folder, 1, { theirs: join(folder, 'another') });
    const training = trainPhases({ ...dataset, out: join(folder, 'dataset-over') }, ['bc'], {
      ...plainHost(),
      workers,
    });
    const [ended] = await workers.ended();
    expect(ended).toMatchObject({
      status: 'rejected',
      reason: {
        code: 'config',
        message: expect.stringMatching(/cannot play for this run: .*another/) as string,
      },
    });
    const end = new AbortController();
    const identity = { id: 'other', host: 'here', pid: 2 };
    const other = work({ ...workers, identity, host: plainHost({ signal: end.signal }) });
    const [run] = await training;
    expect(contents(run!.folder, isTimeless)).toEqual(alone.runs[0]);
    end.abort();
    // an update of two samples in two shards, and one of the last sample
    expect(await other).toMatchObject({ counted: 3, failed: 0 });
  });
});
