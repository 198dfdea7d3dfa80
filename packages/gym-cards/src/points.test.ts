import { describe, expect, it } from 'vitest';
import { chancesOf, everyDraw, figuresOf, only, uniform } from './exact/enumerated.test.support.ts';
import type { Draws } from './game.ts';
import { ezPoints, points24 } from './points.ts';
import type { PointsState } from './points-rules.ts';
import type { Token } from './formula/token.ts';

const noDraws: Draws = { integers: () => NaN, random: () => NaN };

/** Draws that are laid down. */
function drawn(...values: number[]): Draws {
  return { integers: () => values.shift()!, random: () => values.shift()! };
}

function hand(numbers: readonly number[], formula: readonly Token[] = []): PointsState {
  return { cards: numbers.map((number) => `H${number}`), numbers, formula };
}

/** Plays the actions of these words; the last outcome. */
function played(game: ReturnType<typeof ezPoints>, state: PointsState, words: string) {
  let outcome = { state, reward: 0, terminated: false, truncated: false, won: false };
  const rewards: number[] = [];
  for (const word of words.split(' ')) {
    outcome = game.act(outcome.state, game.actions.indexOf(word), noDraws);
    rewards.push(outcome.reward);
  }
  return { ...outcome, rewards };
}

describe('EZPoints', () => {
  const game = ezPoints();
  const deals = everyDraw((draws) => game.deal(draws));

  it('has 13 actions in the published order', () => {
    expect(game.actions.join(' ')).toBe('1 2 3 4 5 6 7 8 9 10 + * =');
  });

  it('deals in the published order of draws', () => {
    // queen, spades; the sum: no draw for ten; diamonds; swapped
    expect(game.deal(drawn(12, 1, 2, 0.5))).toEqual({ cards: ['D2', 'SQ'], numbers: [2, 10], formula: [] });
    // three, clubs; one half is a product; hearts; not swapped
    expect(game.deal(drawn(3, 3, 0.5, 0, 0.51))).toEqual({
      cards: ['C3', 'H4'],
      numbers: [3, 4],
      formula: [],
    });
    // two with a sum: the second is a ten by its value, never a face
    expect(game.deal(drawn(2, 0, 0.6, 0, 0.6)).cards).toEqual(['H2', 'HT']);
  });

  it('deals pairs as often as reckoned, swapped in half of the cases', () => {
    // before the swap (10,2) 1/3, (5,7) (7,5) (8,4) (9,3) 1/12 each, eight others 1/24 each
    const unordered: [string, number][] = [
      ['2,10', 9 / 24],
      ['5,7', 4 / 24],
      ['4,8', 3 / 24],
      ['3,9', 3 / 24],
      ['2,6', 2 / 24],
      ['3,4', 2 / 24],
      ['6,6', 1 / 24],
    ];
    const sorted = chancesOf(deals, ({ numbers }) => [...numbers].sort((a, b) => a - b));
    expect(sorted.size).toBe(7);
    for (const [pair, chance] of unordered) expect(sorted.get(pair)).toBeCloseTo(chance, 12);
    const ordered = chancesOf(deals, ({ numbers }) => numbers);
    for (const [pair, chance] of ordered)
      expect(ordered.get(pair.split(',').reverse().join(','))).toBeCloseTo(chance, 12);
  });

  it.each([
    [[2, 6], '2 * 6 =', 10],
    [[2, 10], '10 + 2 =', 10],
    [[2, 10], '10 * 2 =', -1],
    [[6, 6], '6 + 6 =', 10],
    [[2, 10], '+ 10 + 2 =', 10],
    [[2, 10], '10 2 =', -1],
    [[2, 10], '10 =', -1],
    [[2, 10], '=', -1],
    [[2, 10], '10 + 2 + =', -1],
  ])('with %j: %s pays %i and ends', (numbers, words, reward) => {
    const last = played(game, hand(numbers), words);
    expect(last).toMatchObject({ reward, terminated: true, truncated: false, won: reward === 10 });
    // the equals sign is not written
    expect(last.state.formula).toHaveLength(words.split(' ').length - 1);
  });

  it('leaves a blank and takes one point for a number that is not at hand', () => {
    const last = played(game, hand([2, 10]), '3 10 10 + 2 =');
    expect(last.rewards).toEqual([-1, 0, -1, 0, 0, 10]);
    expect(last.state.formula).toEqual([' ', 10, ' ', '+', 2]);
    expect(played(game, hand([6, 6]), '6 6 6').rewards).toEqual([0, 0, -1]);
  });

  it('takes six tokens, and is truncated by the next one', () => {
    const full = played(game, hand([2, 10]), '+ + + + + +');
    expect(full).toMatchObject({ reward: 0, truncated: false });
    expect(full.state.formula).toHaveLength(6);
    for (const word of game.actions)
      expect(played(game, full.state, word)).toMatchObject({
        state: full.state,
        reward: -1,
        terminated: false,
        truncated: true,
      });
    // five tokens may still be judged
    expect(played(game, hand([2, 10]), '+ + 10 + 2 =')).toMatchObject({ reward: 10, terminated: true });
  });

  it('is always won by the expert, with return 10 in four steps', () => {
    const figures = figuresOf(game, deals, (state) => only(game.expert(state), 13));
    expect(figures.success).toBeCloseTo(1, 12);
    expect(figures.meanReturn).toBeCloseTo(10, 12);
    expect(figures.meanLength).toBeCloseTo(4, 12);
  });

  it('is won by chance in 0.064 % of games, with a mean return of -4.18 in 5.58 steps', () => {
    // the random policy does not see suits or order
    const pairs = [...chancesOf(deals, ({ numbers }) => [...numbers].sort((a, b) => a - b))];
    const start = pairs.map(([pair, chance]) => ({ value: hand(pair.split(',').map(Number)), chance }));
    const figures = figuresOf(game, start, () => uniform(13));
    // printed by tools/reference/gym_cards_rules.py figures
    expect(figures.success).toBeCloseTo(0.000635884218055172, 12);
    expect(figures.meanReturn).toBeCloseTo(-4.184546284443131, 12);
    expect(figures.meanLength).toBeCloseTo(5.576501784097942, 12);
  });

  it("with compat uses Python's value of the formula", () => {
    const compat = ezPoints({ compat: true });
    // 1 and 2 stand side by side; no such hand is dealt, the rule is the same for all
    expect(played(compat, hand([1, 2]), '1 2 =')).toMatchObject({ reward: 10 });
    expect(played(game, hand([1, 2]), '1 2 =')).toMatchObject({ reward: -1 });
    expect(played(compat, hand([2, 10]), '3 2 + 3 10 =')).toMatchObject({ reward: 10 });
  });

  it('speaks as published', () => {
    const state = { cards: ['SQ', 'D2'], numbers: [10, 2], formula: [10, ' ', '+'] };
    expect(game.facts(state)).toEqual({
      Cards: ['SQ', 'D2'],
      Numbers: [10, 2],
      Formula: [10, ' ', '+'],
    });
    expect(game.text(state)).toBe("Cards: ['SQ', 'D2']. Numbers: [10, 2]. Current formula: 10 +.");
    // 10 is action 9, + is action 10, a blank is one more than the 13
    expect(game.arrays(state)).toEqual({
      numbers: { shape: [2], data: Int32Array.of(10, 2) },
      formula: { shape: [6], data: Int32Array.of(10, 14, 11, 0, 0, 0) },
    });
  });
});

describe('Points24', () => {
  const game = points24();

  it('has 17 actions, and 20 if faces count 11 to 13', () => {
    expect(game.actions.join(' ')).toBe('1 2 3 4 5 6 7 8 9 10 + - * / ( ) =');
    expect(points24({ faceCardsAre10: false }).actions.join(' ')).toBe(
      '1 2 3 4 5 6 7 8 9 10 11 12 13 + - * / ( ) =',
    );
  });

  it('draws four ranks, then four suits', () => {
    const dealt = { cards: ['HA', 'ST', 'DQ', 'C7'], formula: [] };
    const draws = () => drawn(1, 10, 12, 7, 0, 1, 2, 3);
    expect(game.deal(draws())).toEqual({ ...dealt, numbers: [1, 10, 10, 7] });
    expect(points24({ faceCardsAre10: false }).deal(draws())).toEqual({ ...dealt, numbers: [1, 10, 12, 7] });
  });

  it.each([
    [[3, 3, 8, 8], '8 / ( 3 - 8 / 3 ) =', 10],
    [[1, 2, 3, 4], '1 * 2 * 3 * 4 =', 10],
    [[4, 6, 1, 1], '4 * 6 =', -1],
    [[2, 4, 1, 1], '2 4 * 1 * 1 =', -1],
    [[2, 3, 3, 10], '2 * * 3 * 3 =', -1],
  ])('with %j: %s pays %i', (numbers, words, reward) => {
    expect(played(game, hand(numbers), words)).toMatchObject({ reward, terminated: true });
  });

  it('takes 21 tokens, and is cut off by the next action', () => {
    const full = played(game, hand([1, 2, 3, 4]), Array.from({ length: 21 }, () => '(').join(' '));
    expect(full.truncated).toBe(false);
    expect(played(game, full.state, '=')).toMatchObject({ reward: -1, terminated: false, truncated: true });
  });

  it("with compat has Python's value, rounding included", () => {
    const compat = points24({ compat: true });
    expect(played(compat, hand([3, 3, 8, 8]), '8 / ( 3 - 8 / 3 ) =')).toMatchObject({ reward: -1 });
    expect(played(compat, hand([2, 4, 1, 1]), '2 4 * 1 * 1 =')).toMatchObject({ reward: 10 });
    expect(played(compat, hand([5, 5, 1, 1]), '5 * * ( 1 + 1 ) - 1 =')).toMatchObject({ reward: -1 });
    expect(played(compat, hand([5, 2, 1, 1]), '5 * * 2 - 1 * 1 =')).toMatchObject({ reward: 10 });
    expect(played(compat, hand([10, 9, 4, 6]), '10 / / 9 * 4 * 6 =')).toMatchObject({ reward: 10 });
  });
});
