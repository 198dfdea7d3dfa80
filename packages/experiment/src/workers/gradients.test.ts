/** Gradient shards survive the shared folder, and training ends in the same bytes wherever they are computed. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onFailpoint } from '@emac/files';
import { encodePng } from '@emac/images';
import { plainHost } from '@emac/opening';
import type { GivenSettings, TrainConfig } from '@emac/settings';
import { alsoLong } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { resume } from '../methods.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { trainPhases } from '../training/train.ts';
import { work } from '../work.ts';
import { stopAfter } from './small-updates.test.support.ts';
import { contents, localWorkers } from './workers.test.support.ts';

const folder = temporaryFolder();

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
  // no policy agrees with so many random labels, so every episode has pairs
  expert: { noise: 0.9 },
  evaluation: { episodes: 0 },
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

/** The undisturbed run, trained once for all tests that compare with it. */
const alone = new Map<number, ReturnType<typeof trained>>();
function trainedAlone(shards: number): ReturnType<typeof trained> {
  const known = alone.get(shards) ?? trained(`alone-${shards}`, 0, withShards(shards));
  alone.set(shards, known);
  return known;
}

function withShards(gradientShards: number, optimization: GivenSettings['optimization'] = {}): GivenSettings {
  return { ...given, optimization: { ...given.optimization, ...optimization, gradientShards } };
}

/** The update measurements of metrics.jsonl by line. */
function updatesOf(run: string): Record<string, number>[] {
  return readFileSync(join(run, 'metrics.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, number> & { kind: string })
    .filter(({ kind }) => kind === 'update');
}

describe('training of both phases in four shards', () => {
  it('is that of one to rounding', async () => {
    const [one, four] = [await trainedAlone(1), await trainedAlone(4)];
    expect(four.runs).not.toEqual(one.runs);
    for (const phase of [0, 1]) {
      const [whole, shards] = [updatesOf(one.folders[phase]!), updatesOf(four.folders[phase]!)];
      expect(shards.length).toBe(2 * 2);
      expect(shards[0]!['loss']).toBeCloseTo(whole[0]!['loss']!, 4);
      expect(shards[0]!['gradient_norm']! / whole[0]!['gradient_norm']!).toBeCloseTo(1, 4);
    }
  });

  it('ends in the same metrics, buffers and checkpoints with no, one and four workers', async () => {
    const { runs } = await trainedAlone(4);
    const done: number[] = [];
    for (const count of [4, ...alsoLong([1])]) {
      const over = await trained(`by-${count}`, count, withShards(4));
      expect(over.runs).toEqual(runs);
      done.push(over.done);
    }
    // of each phase two episodes and four updates, of as many shards as there are rows, at most four
    expect(done[0]).toBeGreaterThan(2 * (2 + 4));
    expect(done[0]).toBeLessThanOrEqual(2 * (2 + 4 * 4));
    expect(new Set(done).size).toBe(1);
  });

  /** Stops before an update and resumes, over the same two workers; what these computed. */
  async function stoppedBefore(update: number, name: string, settings: GivenSettings) {
    const workers = localWorkers(join(folder, name), 2);
    const out = join(folder, `${name}-over`);
    const stopping = { ...plainHost({ signal: stopAfter(update) }), workers };
    const stopped = trainPhases({ ...settings, out }, ['bc'], stopping);
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
    onFailpoint(null);
    const run = join(out, readdirSync(out)[0]!);
    await resume(run, { ...plainHost(), workers });
    await workers.stop();
    return { run, computed: workers.said.filter((job) => job.startsWith('computed')) };
  }

  it('resumes over workers to the same bytes, and computes no shard twice', async () => {
    const { run, computed } = await stoppedBefore(2, 'stopped', withShards(4));
    const { runs } = await trainedAlone(4);
    expect(contents(run, isTimeless)).toEqual(runs[0]);
    expect(new Set(computed).size).toBe(computed.length);
  });

  it('resumes over workers in the block of a hundred updates in which it was stopped', async () => {
    const { computed } = await stoppedBefore(102, 'second-block', {
      ...withShards(2, { updatesPerEpisode: 102, batchSize: 1 }),
      play: { rounds: 1, gamesPerRound: 1, maxSteps: 1 },
    });
    const shardsOf = (block: number) => computed.filter((job) => job.includes(`.gradients-${block} `));
    expect([shardsOf(0).length, shardsOf(100).length]).toEqual([100, 2]);
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
    const place = localWorkers(join(folder, 'opened'), 0);
    const workers = { ...place, folder: { ...place.folder } };
    const [read, did]: [string[], string[]] = [[], []];
    workers.folder.get = (hash) => (read.push(hash), place.folder.get(hash));
    const stop = new AbortController();
    const working = work({
      ...workers,
      identity: { id: 'w', host: 'here', pid: 1 },
      host: plainHost({ signal: stop.signal }),
      did: (job) => void did.push(job),
    });
    const host = { ...plainHost(), workers: place };
    const [run] = await trainPhases({ ...withShards(2), out: join(folder, 'opened-over') }, ['bc'], host);
    stop.abort();
    await working;
    expect(contents(run!.folder, isTimeless)).toEqual(alone.runs[0]);
    // two episodes, four updates of two shards
    expect(did.filter((job) => job.startsWith('played'))).toHaveLength(2);
    expect(did.filter((job) => job.startsWith('computed'))).toHaveLength(8);
    const plans = read.filter((hash) => Buffer.from(place.folder.get(hash)).includes('"plays"'));
    expect(plans).toHaveLength(1);
  });
});

describe('training on a dataset in two shards', () => {
  const place = join(folder, 'dataset');
  const data = join(place, 'train.json');
  const dataset: GivenSettings = {
    speech: { beams: 1 },
    optimization: { batchSize: 2, accumulate: 1, gradientShards: 2 },
    dataset: { data, epochs: 1 },
  };

  it('is computed by workers to the same bytes; one with another folder reports it, and another worker gets its job', async () => {
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
