/** Training on a list with samples found unusable on reading. */
import { describe, expect, it } from 'vitest';
import { dataOf, offlineRun, tokenMeanOf } from './offline-runs.test.support.ts';
import type { OfflineState } from './offline-state.ts';
import { trainOffline } from './offline.ts';

/** The orders of the two epochs. */
const ordersOf = async (length: number) => {
  const { data, used } = dataOf(length);
  await trainOffline(offlineRun({ data }).run);
  return [used.slice(0, length), used.slice(length)] as const;
};

describe('samples that cannot be used', () => {
  it("are skipped in the epoch's order: the following samples fill the update", async () => {
    const bad = [1, 6];
    const orders = await ordersOf(9);
    const { data, used } = dataOf(9, bad);
    const { run, metrics, moments } = offlineRun({ data });
    await trainOffline(run);
    expect(used).toEqual(orders.flatMap((order) => order.filter((index) => !bad.includes(index))));
    const lines = metrics.map(({ kind, round, samples }) => `${kind} ${round} ${samples}`);
    // seven of nine in updates of 2 × 2: four, then three
    const epoch = (round: number) => [`update ${round} 4`, `update ${round} 3`, `round ${round} 7`];
    expect(lines).toEqual([...epoch(0), ...epoch(1)]);
    const [first, second, round] = metrics as unknown as Record<string, number>[];
    // Σ loss · samples / samples, over the used ones
    expect(round!['loss']).toBeCloseTo((4 * first!['loss']! + 3 * second!['loss']!) / 7, 12);
    expect(moments.at(-1)!.state).toMatchObject({ epoch: 2, taken: 0, updates: 4, microSteps: 8 });
  });

  it('weigh nothing: the loss is the mean over micro-batches of usable samples', async () => {
    const { data, used } = dataOf(4, [2]);
    const { run, metrics } = offlineRun({ data, epochs: 1 });
    await trainOffline(run);
    expect(used).toHaveLength(3);
    const means = [await tokenMeanOf(used.slice(0, 2)), await tokenMeanOf(used.slice(2))];
    expect(metrics[0]!['loss']).toBeCloseTo((means[0]! + means[1]!) / 2, 6);
  });

  it.each(['bc', 'dpo'] as const)('are the same for %s, found or known before', async (phase) => {
    const bad = [0, 3, 4];
    const found = offlineRun({ phase, data: dataOf(9, bad).data });
    await trainOffline(found.run);
    const known = offlineRun({ phase, data: dataOf(9, bad, bad).data });
    await trainOffline(known.run);
    expect(known.metrics).toEqual(found.metrics);
    expect(known.moments.at(-1)).toEqual(found.moments.at(-1));
  });

  it('make no extra update at the end of an epoch', async () => {
    const [first] = await ordersOf(7);
    // the last three of the first epoch: four are used, in one update
    const { data } = dataOf(7, first.slice(4));
    const { run, metrics, moments } = offlineRun({ data, epochs: 1, isDue: () => true });
    await trainOffline(run);
    expect(metrics.map(({ kind, samples }) => [kind, samples])).toEqual([
      ['update', 4],
      ['round', 4],
    ]);
    // before training and after the epoch, at its only update
    expect(moments.map(({ state }) => [state.updates, state.epoch, state.taken])).toEqual([
      [0, 0, 0],
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
    const validation = (known: readonly number[] = []) => dataOf(5, [0, 3], known).data;
    const whole = offlineRun({ phase, data: dataOf(10, bad).data, validation: validation() });
    await trainOffline(whole.run);
    const stop = new AbortController();
    const before = dataOf(10, bad);
    const first = offlineRun({
      phase,
      data: before.data,
      validation: validation(),
      signal: stop.signal,
      report: (event) => {
        if (event.kind === 'update' && Number(event.line['update']) + 1 === stopAfter) stop.abort();
      },
    });
    await expect(trainOffline(first.run)).rejects.toMatchObject({ code: 'interrupted' });
    const { state, optimizer } = first.moments.at(-1)!;
    const second = offlineRun({
      phase,
      data: dataOf(10, bad, [...before.found]).data,
      validation: validation([0, 3]),
      policy: first.policy,
      resume: { state: JSON.parse(JSON.stringify(state)) as OfflineState, optimizer },
    });
    await trainOffline(second.run);
    expect([...first.metrics, ...second.metrics]).toEqual(whole.metrics);
    expect(second.moments.at(-1)).toEqual(whole.moments.at(-1));
  });

  it('are not counted in validation', async () => {
    const validation = dataOf(5, [0, 1, 3]).data;
    const { run, metrics } = offlineRun({ data: dataOf(4).data, validation });
    await trainOffline(run);
    expect(metrics[0]).toMatchObject({ kind: 'probe', samples: 2 });
    expect(metrics[0]!['loss']).toBeCloseTo(await tokenMeanOf([2, 4]), 6);
  });

  it('end training if all samples are unusable', async () => {
    const all = [0, 1, 2];
    await expect(trainOffline(offlineRun({ data: dataOf(3, all).data }).run)).rejects.toThrow(
      'training: needs a usable sample, skipped all 3',
    );
    const validation = dataOf(3, all).data;
    await expect(trainOffline(offlineRun({ data: dataOf(3).data, validation }).run)).rejects.toThrow(
      'validation: needs a usable sample',
    );
  });
});
