import type { EvaluationResult } from '@emac/rollout';
import { expect, it } from 'vitest';
import { successOf } from './row-of-view.ts';

const series = (name: string, y: readonly number[]) => ({
  name,
  over: 'updates' as const,
  x: [...y.keys()],
  y,
  steps: null,
  seconds: null,
});
const result = (name: string, success: number | null, seen: number | null) => ({
  name,
  result: { success, seen: { success: seen } } as unknown as EvaluationResult,
});

it('success is that on held-out tasks, else on those trained on, and last and best while training', () => {
  const training = [series('update loss', [3]), series('round success', [0.25, 0.75, 0.5])];
  expect(successOf({ evaluations: [], series: training })).toEqual({
    evaluated: null,
    curve: [0.25, 0.75, 0.5],
    last: 0.5,
    best: 0.75,
  });
  const evaluations = [result('before', 0.1, 1), result('after', null, 0.9)];
  const seen = { share: 0.9, games: null, interval: null };
  expect(successOf({ evaluations, series: [] })).toEqual({
    evaluated: { on: 'seen in training', before: 1, after: seen, p: null },
    curve: [],
    last: null,
    best: null,
  });
});

it('a row has few points of a long curve, the first and the last among them', () => {
  const long = series(
    'update success',
    Array.from({ length: 1000 }, (_, place) => place / 999),
  );
  const { curve } = successOf({ evaluations: [], series: [long] });
  expect(curve).toHaveLength(64);
  expect([curve[0], curve.at(-1)]).toEqual([0, 1]);
});
