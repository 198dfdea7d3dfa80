/** Training on a list of samples, with a small real student; what is expected follows from the definition. */
import { EmacError, Random } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { bagOfWordsStudent, blank, commands } from './bag-of-words.test.fixture.ts';
import type { OfflineData, OfflineSample } from './offline-learner.ts';
import { trainOffline, type OfflineMoment, type OfflineRun } from './offline.ts';
import type { OfflineState } from './offline-state.ts';
import { presetSettings } from './presets.ts';
import type { MetricsLine } from './progress.ts';

const sampleOf = (place: number): OfflineSample => {
  const [output, worse] = [commands[place % 6]!, commands[(place + 1) % 6]!];
  return { features: blank, text: `want-${'abc'[place % 3]} at-a`, output, worse };
};

/** Tells which samples were asked for. */
function dataOf(length: number): OfflineData & { readonly asked: number[] } {
  const asked: number[] = [];
  return {
    ...{ length, asked },
    sample: (index) => {
      asked.push(index);
      return Promise.resolve(sampleOf(index));
    },
  };
}

interface Changed extends Partial<OfflineRun> {
  readonly length?: number;
}

function runOf({ length = 7, phase = 'bc', ...changed }: Changed = {}) {
  const metrics: MetricsLine[] = [];
  const moments: OfflineMoment[] = [];
  const student = changed.student ?? bagOfWordsStudent(Random.fromSeed('student'));
  const data = dataOf(length);
  const settings = { ...presetSettings('tiny', phase), batchSize: 2, accumulate: 2, learningRate: 0.1 };
  const run: OfflineRun = {
    ...{ phase, settings, epochs: 2, student, data, validation: null, checkpointEvery: 1000 },
    reference: phase === 'dpo' ? bagOfWordsStudent(Random.fromSeed('student')) : null,
    texts: { target: (command) => ` ${command}` },
    random: Random.fromSeed('run'),
    metrics: (line) => void metrics.push(line),
    checkpoint: (moment) => {
      const tensors = new Map(
        [...moment.optimizer.tensors].map(([name, { shape, data: values }]) => [
          name,
          { shape, data: values.slice() },
        ]),
      );
      moments.push({ ...moment, optimizer: { ...moment.optimizer, tensors } });
    },
    ...changed,
  };
  return { run, metrics, moments, data, student };
}

const parametersOf = (student: OfflineRun['student']) =>
  [...student.parameters().values()].map(({ data }) => [...data]);

describe('trainOffline', () => {
  it('takes each sample once an epoch, in an order of its own, and leaves none out', async () => {
    const { run, metrics, data } = runOf();
    await trainOffline(run);
    const [first, second] = [data.asked.slice(0, 7), data.asked.slice(7)];
    const all = [0, 1, 2, 3, 4, 5, 6];
    expect([first.toSorted(), second.toSorted()]).toEqual([all, all]);
    expect(first).not.toEqual(second);
    expect(first).not.toEqual(all);
    const updates = metrics.filter(({ kind }) => kind === 'update');
    expect(updates.map(({ round, samples }) => [round, samples])).toEqual([
      [0, 4],
      [0, 3],
      [1, 4],
      [1, 3],
    ]);
  });

  it('is the mean over micro-batches of the token mean, also where the last ones are smaller', async () => {
    const start = bagOfWordsStudent(Random.fromSeed('student'));
    const { run, metrics, data } = runOf({ length: 3, epochs: 1 });
    await trainOffline(run);
    const means: number[] = [];
    for (const batch of [data.asked.slice(0, 2), data.asked.slice(2)]) {
      const rows = batch.map(sampleOf).map((sample) => ({ ...sample, target: ` ${sample.output}` }));
      const found = await start.logProbabilities(rows);
      const sum = found.reduce((total, row) => total + row.sum, 0);
      means.push(-sum / found.reduce((total, row) => total + row.tokens, 0));
    }
    expect(metrics[0]!['loss']).toBeCloseTo((means[0]! + means[1]!) / 2, 6);
  });

  it('validates before the first epoch and after each, by the token over the whole set', async () => {
    const start = bagOfWordsStudent(Random.fromSeed('student'));
    const validation = dataOf(5);
    const { run, metrics, moments } = runOf({ validation });
    await trainOffline(run);
    const probes = metrics.filter(({ kind }) => kind === 'probe');
    expect(probes).toHaveLength(3);
    const rows = [0, 1, 2, 3, 4].map(sampleOf).map((each) => ({ ...each, target: ` ${each.output}` }));
    const found = await start.logProbabilities(rows);
    const sum = found.reduce((total, row) => total + row.sum, 0);
    const tokens = found.reduce((total, row) => total + row.tokens, 0);
    expect(probes[0]!['loss']).toBeCloseTo(-sum / tokens, 9);
    expect(Number(probes[2]!['loss'])).toBeLessThan(Number(probes[0]!['loss']));
    expect(moments.map(({ loss }) => loss)).toEqual(probes.map(({ loss }) => loss));
  });

  it('judges each pair by the reference once, however many epochs there are', async () => {
    const judge = bagOfWordsStudent(Random.fromSeed('student'));
    let judged = 0;
    const reference: OfflineRun['reference'] = {
      ...judge,
      logProbabilities: (rows) => {
        judged += rows.length;
        return judge.logProbabilities(rows);
      },
    };
    const { run, metrics } = runOf({ phase: 'dpo', reference, epochs: 3 });
    await trainOffline(run);
    // both outputs of seven pairs
    expect(judged).toBe(14);
    // the policy is the reference before the first update, and moves towards the chosen outputs
    expect(metrics[0]).toMatchObject({ kind: 'update', w_reward: 0, l_reward: 0 });
    expect(Number(metrics.at(-2)!['margin'])).toBeGreaterThan(0);
  });

  it.each([
    ['bc', 1],
    ['bc', 3],
    ['dpo', 2],
    ['dpo', 3],
  ] as const)('goes on with %s after update %i to the very same numbers', async (phase, stopAfter) => {
    const whole = runOf({ phase, validation: dataOf(3) });
    await trainOffline(whole.run);
    const stop = new AbortController();
    const report: OfflineRun['report'] = (event) => {
      if (event.kind === 'update' && Number(event.line['update']) + 1 === stopAfter) stop.abort();
    };
    const first = runOf({ phase, validation: dataOf(3), signal: stop.signal, report });
    await expect(trainOffline(first.run)).rejects.toMatchObject({ code: 'interrupted' });
    const { state, optimizer, isExtra } = first.moments.at(-1)!;
    expect([state.updates, isExtra]).toEqual([stopAfter, true]);
    const stored = JSON.parse(JSON.stringify(state)) as OfflineState;
    const second = runOf({
      phase,
      validation: dataOf(3),
      student: first.student,
      resume: { state: stored, optimizer },
    });
    await trainOffline(second.run);
    expect([...first.metrics, ...second.metrics]).toEqual(whole.metrics);
    expect(parametersOf(first.student)).toEqual(parametersOf(whole.student));
    expect(second.moments.at(-1)!.state).toEqual(whole.moments.at(-1)!.state);
  });

  it('writes checkpoints within an epoch as often as asked, and never two of one moment', async () => {
    const { run, moments } = runOf({ checkpointEvery: 1, length: 12 });
    await trainOffline(run);
    expect(moments.map(({ state }) => [state.updates, state.epoch, state.taken])).toEqual([
      [0, 0, 0],
      [1, 0, 4],
      [2, 0, 8],
      [3, 1, 0],
      [4, 1, 4],
      [5, 1, 8],
      [6, 2, 0],
    ]);
  });

  it('refuses the state of another run', async () => {
    const { run, moments } = runOf();
    await trainOffline(run);
    const resume = moments[0]!;
    const other = runOf({ length: 8, resume });
    await expect(trainOffline(other.run)).rejects.toThrow(EmacError);
    const damaged = { ...resume, state: { ...resume.state, taken: undefined } as unknown as OfflineState };
    delete (damaged.state as Partial<OfflineState>).taken;
    await expect(trainOffline(runOf({ resume: damaged }).run)).rejects.toThrow('has no taken');
  });
});
