import type { EvaluationResult } from '@emac/rollout';
import { expect, it } from 'vitest';
import { successOf } from './row-of-view.ts';

const series = (name: string, y: readonly number[]) => ({
  name,
  over: 'updates' as const,
  x: [...y.keys()],
  y,
  steps: null,
});
const result = (name: string, success: number | null, seen: number | null) => ({
  name,
  result: { success, seen: { success: seen } } as unknown as EvaluationResult,
});

it('success is that on held-out tasks, else on those trained on, and last and best while training', () => {
  const training = [series('update loss', [3]), series('round success', [0.25, 0.75, 0.5])];
  expect(successOf({ evaluations: [], series: training })).toEqual({
    before: null,
    after: null,
    last: 0.5,
    best: 0.75,
  });
  const evaluations = [result('before', 0.1, 1), result('after', null, 0.9)];
  expect(successOf({ evaluations, series: [] })).toEqual({ before: 0.1, after: 0.9, last: null, best: null });
});
