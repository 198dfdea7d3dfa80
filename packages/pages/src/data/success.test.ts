import { expect, it } from 'vitest';
import {
  changeWords,
  evaluatedSuccess,
  ratesOf,
  successWords,
  trainingSuccess,
  verdictOf,
} from './success.ts';

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
    'held out: 18 % → 50 % (50 of 100, 95 % interval 40 % to 60 %), +32 points',
  );
  const seen = ratesOf({ ...part(null, 100), seen: part(1, 10) });
  expect(successWords(evaluatedSuccess(before, seen)!)).toBe(
    'seen in training: 90 % → 100 % (10 of 10, 95 % interval 40 % to 60 %), +10 points',
  );
  // results of earlier versions
  expect(successWords(evaluatedSuccess(null, ratesOf({ success: 0.25 }))!)).toBe('held out: 25 %');
  expect(evaluatedSuccess(before, null)).toBeNull();
  expect(successWords(trainingSuccess([0.25, 1, 0.5])!)).toBe('while training: 25 % → 50 %, +25 points');
  expect(trainingSuccess([])).toBeNull();
});

/** games 0, 1, 2 … with these outcomes, in another order than their names' */
const played = (won: string, names = 'game') => ({
  ...part(won.replaceAll('0', '').length / won.length, won.length),
  games: [...won]
    .map((each, at) => ({
      id: `${names} ${at}`,
      type: null,
      won: each === '1',
      steps: 1,
      seen_in_training: false,
    }))
    .reverse(),
});
const change = (before: string, after: ReturnType<typeof played>) =>
  evaluatedSuccess(ratesOf(played(before)), ratesOf(after))!;

it('names a change that the exact test over the same tasks finds, and only then', () => {
  // six gained and none lost: 2 / 2⁶; five: 2 / 2⁵
  expect(change('00000000', played('11111100')).p).toBeCloseTo(1 / 32, 12);
  expect(changeWords(change('00000000', played('11111100')))).toBe('+75 points, significant gain');
  expect(changeWords(change('00000000', played('11111000')))).toBe('+63 points, no significant change');
  expect(changeWords(change('11111100', played('00000000')))).toBe('−75 points, significant loss');
  // as many won as before, but other ones: nothing changed in sum
  expect(changeWords(change('11110000', played('00001111')))).toBe('±0 points, no significant change');
  expect(verdictOf(change('00000000', played('11111100', 'other game')))).toBeNull();
  expect(changeWords(evaluatedSuccess(null, ratesOf(played('1')))!)).toBe('');
});

it('counts several attempts at a task once', () => {
  const twice = (won: string) => {
    const once = played(won);
    return { ...once, games: [...once.games, ...once.games.map((game) => ({ ...game, attempt: 2 }))] };
  };
  expect(evaluatedSuccess(ratesOf(twice('00000')), ratesOf(twice('11111')))!.p).toBeCloseTo(1 / 16, 12);
});
