import { describe, expect, it } from 'vitest';
import { answerText } from './answers.ts';
import { blackjack } from './blackjack.ts';
import type { Hand } from './blackjack-hand.ts';
import { makeGymCards } from './make.ts';
import { numberLine } from './number-line.ts';
import { ezPoints, points24 } from './points.ts';

describe("a perfect player's answer", () => {
  it('reads both numbers of NumberLine and names the direction', () => {
    const look = numberLine().look({ current: 2, target: 4, steps: 0 });
    const reading = '{"current number": "2", "target number": "4", "thoughts": "2 to 4';
    expect(answerText(look, '+')).toBe(`${reading}; up", "action": "+"}`);
    expect(answerText(look, '-', { concludes: false })).toBe(`${reading}", "action": "-"}`);
    expect(answerText(look, '-', { actionOnly: true })).toBe('{"action": "-"}');
    expect(numberLine().look({ current: 4, target: 2, steps: 0 }).conclusion).toBe('down');
  });

  it('reads cards in their order, sorts them, and writes the whole formula to be', () => {
    const state = { cards: ['DK', 'H2'], numbers: [10, 2], formula: [2] };
    expect(answerText(ezPoints().look(state), '+')).toBe(
      '{"cards": [10, 2], "current formula": "2", "thoughts": "2, 10; 2+10", "action": "+"}',
    );
    expect(ezPoints().look({ ...state, formula: [2, '*'] }).conclusion).toBe('no way');
    // 1 · 1 · 1 · 1 and all else of four ones stays below 24
    const ones = { cards: ['HA', 'SA', 'DA', 'CA'], numbers: [1, 1, 1, 1], formula: [] };
    expect(points24().look(ones)).toMatchObject({ seen: '1, 1, 1, 1', conclusion: 'no way' });
  });

  it('reckons with cards of Blackjack, an ace being 1 or 11', () => {
    const hand = (...values: number[]): Hand => values.map((value) => [value, String(value), 'H']);
    const look = (dealer: Hand, player: Hand) => blackjack().look({ dealer, player });
    // soft 17 against 10 is hit, hard 17 is not
    expect(look(hand(10, 5), hand(1, 6))).toMatchObject({
      seen: 'dealer 10, player 1 + 6 = soft 17',
      conclusion: 'more',
    });
    expect(look(hand(10, 5), hand(1, 6, 10))).toMatchObject({
      seen: 'dealer 10, player 1 + 6 + 10 = 17',
      conclusion: 'enough',
    });
  });

  it('is valid JSON with the action last, for any answer so far', () => {
    const game = makeGymCards('gym_cards/EZPoints-v0');
    game.reset(3);
    for (const action of [0, 0, 11, 9]) {
      const answer = JSON.parse(game.answer(action)) as Record<string, unknown>;
      expect(Object.keys(answer)).toEqual(['cards', 'current formula', 'thoughts', 'action']);
      expect(answer['action']).toBe(game.actions[action]);
      game.step(action);
    }
    expect(() => game.answer(13)).toThrow(/from 0 to 12, got 13/);
  });
});
