/** Training on a list some of whose samples turn out to be unusable when they are read. */
import { Random } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { bagOfWordsStudent, blank, commands } from './bag-of-words.test.fixture.ts';
import type { OfflineData, OfflineSample } from './offline-learner.ts';
import { trainOffline, type OfflineMoment, type OfflineRun } from './offline.ts';
import type { OfflineState } from './offline-state.ts';
import { presetSettings } from './presets.ts';
import type { MetricsLine } from './progress.ts';

const sampleOf = (place: number): OfflineSample => {
  // two outputs of four tokens among seven of three, so that token means tell samples apart
  const [output, worse] = [commands[place % 7]!, commands[(place + 1) % 7]!];
  return { features: blank, text: `want-${'abc'[place % 3]} at-a`, output, worse };
};

/** Samples of which some are found to be bad when they are read; `known` ones were found before. */
function dataWith(length: number, bad: readonly number[], known: readonly number[] = []) {
  const found = new Set(known);
  const used: number[] = [];
  const data: OfflineData = {
    length,
    leftOut: () => found.size,
    sample: (index) => {
      if (bad.includes(index)) found.add(index);
      else used.push(index);
      return Promise.resolve(bad.includes(index) ? null : sampleOf(index));
    },
  };
  return { data, used, found };
}

function runOf(phase: 'bc' | 'dpo', data: OfflineData, changed: Partial<OfflineRun> = {}) {
  const [metrics, moments] = [[] as MetricsLine[], [] as OfflineMoment[]];
  const student = changed.student ?? bagOfWordsStudent(Random.fromSeed('student'));
  const preset = presetSettings('tiny', phase);
  const run: OfflineRun = {
    phase,
    settings: { ...preset, batchSize: 2, accumulate: 2, learningRate: 0.1, schedule: 'constant' },
    epochs: 2,
    student,
    reference: phase === 'dpo' ? bagOfWordsStudent(Random.fromSeed('student')) : null,
    texts: { target: (command) => ` ${command}` },
    data,
    validation: null,
    random: Random.fromSeed('run'),
    metrics: (line) => void metrics.push(line),
    checkpoint: (moment) => {
      const copies = [...moment.optimizer.tensors].map(
        ([name, { shape, data: values }]) => [name, { shape, data: values.slice() }] as const,
      );
      moments.push({ ...moment, optimizer: { ...moment.optimizer, tensors: new Map(copies) } });
    },
    checkpointEvery: 1000,
    ...changed,
  };
  return { run, metrics, moments, student };
}

const orderOf = async (length: number) => {
  const { data, used } = dataWith(length, []);
  await trainOffline(runOf('bc', data).run);
  return [used.slice(0, length), used.slice(length)] as const;
};

describe('samples that cannot be used', () => {
  it('are passed over in the order of the epoch: updates are made of those that follow', async () => {
    const bad = [1, 6];
    const orders = await orderOf(9);
    const { data, used } = dataWith(9, bad);
    const { run, metrics, moments } = runOf('bc', data);
    await trainOffline(run);
    expect(used).toEqual(orders.flatMap((order) => order.filter((index) => !bad.includes(index))));
    const lines = metrics.map(({ kind, round, samples }) => `${kind} ${round} ${samples}`);
    // seven of nine in updates of 2 × 2: four, then three
    const epoch = (round: number) => [`update ${round} 4`, `update ${round} 3`, `round ${round} 7`];
    expect(lines).toEqual([...epoch(0), ...epoch(1)]);
    const [first, second, round] = metrics as unknown as Record<string, number>[];
    // Σ loss · samples / samples, over those that were used
    expect(round!['loss']).toBeCloseTo((4 * first!['loss']! + 3 * second!['loss']!) / 7, 12);
    expect(moments.at(-1)!.state).toMatchObject({ epoch: 2, taken: 0, updates: 4, microSteps: 8 });
  });

  it('weigh nothing: the loss is the mean over the micro-batches of those that were used', async () => {
    const start = bagOfWordsStudent(Random.fromSeed('student'));
    const { data, used } = dataWith(4, [2]);
    const { run, metrics } = runOf('bc', data, { epochs: 1 });
    await trainOffline(run);
    const means: number[] = [];
    for (const batch of [used.slice(0, 2), used.slice(2)]) {
      const rows = batch.map(sampleOf).map((sample) => ({ ...sample, target: ` ${sample.output}` }));
      const found = await start.logProbabilities(rows);
      const tokens = found.reduce((total, row) => total + row.tokens, 0);
      means.push(-found.reduce((total, row) => total + row.sum, 0) / tokens);
    }
    expect(used).toHaveLength(3);
    expect(metrics[0]!['loss']).toBeCloseTo((means[0]! + means[1]!) / 2, 6);
  });

  it.each(['bc', 'dpo'] as const)('are the same for %s, found or known before', async (phase) => {
    const bad = [0, 3, 4];
    const found = runOf(phase, dataWith(9, bad).data);
    await trainOffline(found.run);
    const known = runOf(phase, dataWith(9, bad, bad).data);
    await trainOffline(known.run);
    expect(known.metrics).toEqual(found.metrics);
    expect(known.moments.at(-1)).toEqual(found.moments.at(-1));
  });

  it('make no update of their own at the end of an epoch', async () => {
    const [first] = await orderOf(7);
    // the last three of the first epoch: four are used, in one update
    const { data } = dataWith(7, first.slice(4));
    const { run, metrics, moments } = runOf('bc', data, { epochs: 1, checkpointEvery: 1 });
    await trainOffline(run);
    expect(metrics.map(({ kind, samples }) => [kind, samples])).toEqual([
      ['update', 4],
      ['round', 4],
    ]);
    // before training, after the update, after the epoch
    expect(moments.map(({ state }) => [state.updates, state.epoch, state.taken])).toEqual([
      [0, 0, 0],
      [1, 0, 4],
      [1, 1, 0],
    ]);
  });

  it.each([
    ['bc', 1],
    ['bc', 2],
    ['bc', 3],
    ['dpo', 1],
    ['dpo', 3],
  ] as const)('change nothing in going on with %s after update %i', async (phase, stopAfter) => {
    const bad = [1, 4, 7];
    const whole = runOf(phase, dataWith(10, bad).data, { validation: dataWith(5, [0, 3]).data });
    await trainOffline(whole.run);
    const stop = new AbortController();
    const before = dataWith(10, bad);
    const first = runOf(phase, before.data, {
      validation: dataWith(5, [0, 3]).data,
      signal: stop.signal,
      report: (event) => {
        if (event.kind === 'update' && Number(event.line['update']) + 1 === stopAfter) stop.abort();
      },
    });
    await expect(trainOffline(first.run)).rejects.toMatchObject({ code: 'interrupted' });
    const { state, optimizer } = first.moments.at(-1)!;
    const resume = { state: JSON.parse(JSON.stringify(state)) as OfflineState, optimizer };
    const second = runOf(phase, dataWith(10, bad, [...before.found]).data, {
      validation: dataWith(5, [0, 3], [0, 3]).data,
      student: first.student,
      resume,
    });
    await trainOffline(second.run);
    expect([...first.metrics, ...second.metrics]).toEqual(whole.metrics);
    expect(second.moments.at(-1)).toEqual(whole.moments.at(-1));
  });

  it('are not counted in validation', async () => {
    const start = bagOfWordsStudent(Random.fromSeed('student'));
    const validation = dataWith(5, [0, 1, 3]).data;
    const { run, metrics } = runOf('bc', dataWith(4, []).data, { validation });
    await trainOffline(run);
    const rows = [2, 4].map(sampleOf).map((each) => ({ ...each, target: ` ${each.output}` }));
    const found = await start.logProbabilities(rows);
    const tokens = found.reduce((total, row) => total + row.tokens, 0);
    expect(metrics[0]).toMatchObject({ kind: 'probe', samples: 2 });
    expect(metrics[0]!['loss']).toBeCloseTo(-found.reduce((total, row) => total + row.sum, 0) / tokens, 9);
  });

  it('end training where there are no others', async () => {
    const all = [0, 1, 2];
    await expect(trainOffline(runOf('bc', dataWith(3, all).data).run)).rejects.toThrow(
      'training: needs a sample that can be used, all 3 are left out',
    );
    const validation = dataWith(3, all).data;
    await expect(trainOffline(runOf('bc', dataWith(3, []).data, { validation }).run)).rejects.toThrow(
      'validation: needs a sample',
    );
  });
});
