import { Random } from '@emac/core';
import { createSession, Graph, gradients, op } from '@emac/graph';
import { expect, it } from 'vitest';

import { columnNumbers, dropoutFeeds, dropped, rowNumbers } from './dropout.ts';

const [rows, width] = [300, 200];
const ones = {
  type: 'float32' as const,
  shape: [2, rows / 2, width],
  data: new Float32Array(rows * width).fill(1),
};

/** x and dropped(x) for an x of ones, and the gradient of Σ dropped(x). */
async function droppedOnes(rate: number, seed: string | null) {
  const graph = new Graph();
  const x = graph.input('x', 'float32', ['B', 'S', width]);
  const y = dropped(x, graph.input('columns', 'float32', [width]));
  graph.output('y', y);
  graph.output('dx', gradients([op.reduceSum(y, [0, 1, 2])], [null], [x])[0]!);
  const session = await createSession(graph, { threads: 1 });
  const random = seed === null ? null : Random.fromSeed(seed);
  const columns = columnNumbers(width, random);
  // more numbers than rows: the first ones are used
  const { y: value, dx } = await session.run({
    x: ones,
    columns: { type: 'float32', shape: [width], data: columns },
    ...dropoutFeeds(rowNumbers(rows + 7, random), rate),
  });
  await session.dispose();
  return { values: value!.data as Float32Array, gradient: dx!.data as Float32Array };
}

it.each([0.1, 0.5])('drops a share of %s, divides the rest, and its gradient is the mask', async (rate) => {
  const { values, gradient } = await droppedOnes(rate, 'seed');
  expect(gradient).toEqual(values);
  const kept = Math.fround(1 / (1 - Math.fround(rate)));
  expect(new Set(values.map((value) => (Math.abs(value - kept) < 1e-6 ? 1 : value)))).toEqual(
    new Set([0, 1]),
  );
  const share = (indices: readonly number[]) =>
    indices.filter((index) => values[index] === 0).length / indices.length;
  const all = Array.from(values, (_, index) => index);
  // 60,000 draws: four standard deviations of a share of 0.5 are 0.008
  expect(Math.abs(share(all) - rate)).toBeLessThan(0.008);
  // neighbours in a row and in a column drop together as often as chance says: rate²
  const both = (apart: number) =>
    all.filter((index) => values[index] === 0 && values[index + apart] === 0).length / all.length;
  for (const apart of [1, width]) expect(Math.abs(both(apart) - rate ** 2)).toBeLessThan(0.009);
});

it('drops nothing without numbers, and other elements with other numbers', async () => {
  expect((await droppedOnes(0, null)).values).toEqual(ones.data);
  expect((await droppedOnes(0.5, 'one')).values).not.toEqual((await droppedOnes(0.5, 'two')).values);
});
