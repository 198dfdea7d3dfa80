import { expect, it } from 'vitest';
import { evaluatedGamesText } from './evaluated-games-text.ts';

it.each([
  ['0', '1 held-out game of own'],
  ['000', '3 held-out games of own'],
  ['1', '1 game of own, all seen in training'],
  ['111', '3 games of own, all seen in training'],
  ['011', '3 games of own, 2 of 3 seen in training and counted apart'],
])('reports for %s which games were trained on', (marks, text) => {
  const games = [...marks].map((mark, number) => {
    return { id: `${number}`, type: null, won: true, steps: 1, seen_in_training: mark === '1' };
  });
  expect(evaluatedGamesText({ games }, 'own')).toBe(text);
});
