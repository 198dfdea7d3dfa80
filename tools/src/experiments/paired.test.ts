import { expect, test } from 'vitest';
import { pairedText } from './paired.ts';

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
