import { expect, test } from 'vitest';
import { mcNemar, pairedText } from './paired.ts';

test('exact probabilities of a fair coin', () => {
  expect(mcNemar(0, 0)).toBe(1);
  // 2 · 0.5⁵
  expect(mcNemar(0, 5)).toBeCloseTo(0.0625, 12);
  // 2 · (1 + 8) / 2⁸
  expect(mcNemar(7, 1)).toBeCloseTo(18 / 256, 12);
  expect(mcNemar(3, 3)).toBe(1);
});

test('games that one policy alone won', () => {
  const games = (...won: readonly boolean[]) =>
    won.map((each, index) => {
      return { id: `game ${index}`, type: null, won: each, steps: 1, seen_in_training: false };
    });
  expect(pairedText(games(true, false, false, true), games(true, true, false, false))).toEqual([
    '0.500',
    '0.500',
    '1, 1',
    '1.0',
  ]);
  expect(() => pairedText(games(true), [])).toThrow(/beside undefined/);
});
