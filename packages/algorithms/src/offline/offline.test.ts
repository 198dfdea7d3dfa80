/** Training on a list of samples, with a small real policy; expected values follow from the definition. */
import { EmacError } from '@emac/core';
import { numbersOf } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { dataOf, offlineBeginner, offlineRun, tokenMeanOf } from './offline-runs.test.support.ts';
import type { OfflineState } from './offline-state.ts';
import { trainOffline, type OfflineRun } from './offline.ts';

describe('trainOffline', () => {
  it('takes each sample once per epoch, shuffled, and skips none', async () => {
    const { data, used } = dataOf(7);
    const { run, metrics } = offlineRun({ data });
    await trainOffline(run);
    const [first, second] = [used.slice(0, 7), used.slice(7)];
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

  it('is the mean over micro-batches of the token mean, even if the last ones are smaller', async () => {
    const { data, used } = dataOf(3);
    const { run, metrics } = offlineRun({ data, epochs: 1 });
    await trainOffline(run);
    const means = [await tokenMeanOf(used.slice(0, 2)), await tokenMeanOf(used.slice(2))];
    expect(metrics[0]!['loss']).toBeCloseTo((means[0]! + means[1]!) / 2, 6);
  });

  it('validates before the first epoch and after each, by the token over the whole set', async () => {
    const { run, metrics, moments } = offlineRun({ validation: dataOf(5).data });
    await trainOffline(run);
    const probes = metrics.filter(({ kind }) => kind === 'probe');
    expect(probes).toHaveLength(3);
    expect(probes[0]!['loss']).toBeCloseTo(await tokenMeanOf([0, 1, 2, 3, 4]), 6);
    expect(Number(probes[2]!['loss'])).toBeLessThan(Number(probes[0]!['loss']));
    expect(moments.map(({ loss }) => loss)).toEqual(probes.map(({ loss }) => loss));
  });

  it('judges each pair by the reference once over all epochs', async () => {
    const reference = offlineBeginner();
    const { run, metrics } = offlineRun({ phase: 'dpo', reference, epochs: 3 });
    await trainOffline(run);
    // both outputs of seven pairs
    expect(reference.calls.reduce((sum, { rows }) => sum + rows, 0)).toBe(14);
    // the policy is the reference before the first update, and moves towards the chosen outputs
    expect(metrics[0]).toMatchObject({ kind: 'update', w_reward: 0, l_reward: 0 });
    expect(Number(metrics.at(-2)!['margin'])).toBeGreaterThan(0);
  });

  it.each(['simpo', 'orpo'] as const)('learns with %s without a reference', async (phase) => {
    const { run, metrics } = offlineRun({ phase, epochs: 3 });
    expect(run.reference).toBeNull();
    await trainOffline(run);
    expect(Number(metrics.at(-2)!['margin'])).toBeGreaterThan(Number(metrics[0]!['margin']));
  });

  it.each([
    ['bc', 1],
    ['bc', 3],
    ['dpo', 2],
    ['dpo', 3],
    ['kto', 2],
    ['simpo', 2],
    ['orpo', 3],
  ] as const)('resumes with %s after update %i to the very same numbers', async (phase, stopAfter) => {
    const validation = () => dataOf(3).data;
    const whole = offlineRun({ phase, validation: validation() });
    await trainOffline(whole.run);
    const stop = new AbortController();
    const report: OfflineRun['report'] = (event) => {
      if (event.kind === 'update' && Number(event.line['update']) + 1 === stopAfter) stop.abort();
    };
    const first = offlineRun({ phase, validation: validation(), signal: stop.signal, report });
    await expect(trainOffline(first.run)).rejects.toMatchObject({ code: 'interrupted' });
    const { state, optimizer, isExtra } = first.moments.at(-1)!;
    expect([state.updates, isExtra]).toEqual([stopAfter, true]);
    const resume = { state: JSON.parse(JSON.stringify(state)) as OfflineState, optimizer };
    const second = offlineRun({ phase, validation: validation(), policy: first.policy, resume });
    await trainOffline(second.run);
    expect([...first.metrics, ...second.metrics]).toEqual(whole.metrics);
    expect(numbersOf(first.policy)).toEqual(numbersOf(whole.policy));
    expect(second.moments.at(-1)!.state).toEqual(whole.moments.at(-1)!.state);
  });

  it('writes checkpoints within an epoch as often as asked, and never two of one moment', async () => {
    const { run, moments } = offlineRun({ isDue: () => true, data: dataOf(12).data });
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

  it('learns from the samples before an unreadable one, and resumes from there', async () => {
    const whole = offlineRun({});
    const { data, used } = dataOf(7);
    await trainOffline({ ...whole.run, data });
    // the fifth is the first of the second update
    const fifth = used[4]!;
    const missing = new EmacError('data', `record ${fifth}: no such picture`);
    const sample = (index: number) => (index === fifth ? Promise.reject(missing) : data.sample(index));
    const broken = offlineRun({ data: { length: 7, sample }, isDue: () => true });
    await expect(trainOffline(broken.run)).rejects.toBe(missing);
    expect(broken.metrics.map(({ kind, update }) => [kind, update])).toEqual([['update', 0]]);
    const { state, optimizer } = broken.moments.at(-1)!;
    expect([state.updates, state.taken]).toEqual([1, 4]);
    const mended = offlineRun({ policy: broken.policy, resume: { state, optimizer } });
    await trainOffline(mended.run);
    expect([...broken.metrics, ...mended.metrics]).toEqual(whole.metrics);
    expect(numbersOf(mended.policy)).toEqual(numbersOf(whole.policy));
  });

  it('refuses the state of another run', async () => {
    const { run, moments } = offlineRun({});
    await trainOffline(run);
    const resume = moments[0]!;
    const other = offlineRun({ data: dataOf(8).data, resume });
    await expect(trainOffline(other.run)).rejects.toThrow(EmacError);
    const state: Partial<OfflineState> = structuredClone(resume.state);
    delete state.taken;
    const damaged = offlineRun({ resume: { ...resume, state: state as OfflineState } });
    await expect(trainOffline(damaged.run)).rejects.toThrow('has no taken');
  });
});

describe('the linear schedule of a dataset', () => {
  const linear = { schedule: 'linear', warmup: 0, learningRate: 0.8, minimum: 0, accumulate: 1 } as const;
  const ratesOf = async (bad: readonly number[], known: readonly number[] = []) => {
    const { run, metrics } = offlineRun({ data: dataOf(8, bad, known).data, settings: linear });
    await trainOffline(run);
    return metrics.flatMap(({ kind, lr }) => (kind === 'update' ? [Number((lr as number).toFixed(9))] : []));
  };
  const orders = async () => {
    const { data, used } = dataOf(8);
    await trainOffline(offlineRun({ data, settings: linear }).run);
    return [used.slice(0, 8), used.slice(8)] as const;
  };

  it('ends one step above its minimum', async () => {
    // two epochs of four micro-batches, each an update: steps of 0.1
    expect(await ratesOf([])).toEqual([0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]);
  });

  it('ends there even with skipped samples, anywhere, found or known before', async () => {
    const [first, second] = await orders();
    const sets = [
      // at the start and middle of the last epoch; its last four samples; the first epoch's last ones
      [second[0]!, second[3]!],
      second.slice(4),
      first.slice(5),
      second.slice(7),
      [second[0]!, ...second.slice(6)],
    ];
    for (const bad of sets) {
      const rates = await ratesOf(bad);
      expect(rates.at(-1)).toBe(0.1);
      expect(rates).toEqual(rates.toSorted((a, b) => b - a));
      expect(await ratesOf(bad, bad)).toEqual(rates);
    }
  });
});
