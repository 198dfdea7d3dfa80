import { expect, it } from 'vitest';
import { evaluatedSuccess, ratesOf, successWords, trainingSuccess } from './success.ts';

const part = (success: number | null, games: number) => ({
  success,
  success_ci95: success === null ? null : ([0.4, 0.6] as const),
  mean_steps: null,
  by_type: {
    one: { games: games - 1, won: 0, success: 0, success_ci95: [0, 1] as const, mean_steps: 1 },
    two: { games: 1, won: 0, success: 0, success_ci95: [0, 1] as const, mean_steps: 1 },
  },
});

it('is that on held-out tasks, else on those trained on, else while training', () => {
  const before = ratesOf({ ...part(0.18, 100), seen: part(0.9, 10) });
  const after = ratesOf({ ...part(0.5, 100), seen: part(1, 10) });
  expect(successWords(evaluatedSuccess(before, after)!)).toBe(
    'held out: 18 % → 50 % (50 of 100, 95 % interval 40 % to 60 %)',
  );
  const seen = ratesOf({ ...part(null, 100), seen: part(1, 10) });
  expect(successWords(evaluatedSuccess(before, seen)!)).toBe(
    'seen in training: 90 % → 100 % (10 of 10, 95 % interval 40 % to 60 %)',
  );
  // results of earlier versions
  expect(successWords(evaluatedSuccess(null, ratesOf({ success: 0.25 }))!)).toBe('held out: 25 %');
  expect(evaluatedSuccess(before, null)).toBeNull();
  expect(successWords(trainingSuccess([0.25, 1, 0.5])!)).toBe('while training: 25 % → 50 %');
  expect(trainingSuccess([])).toBeNull();
});
