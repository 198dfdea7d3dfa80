import { describe, expect, it } from 'vitest';
import { chancesOf, everyDraw, figuresOf, only, uniform } from './exact/enumerated.test.support.ts';
import { numberLine } from './number-line.ts';

const game = numberLine();
const deals = everyDraw((draws) => game.deal(draws));
const noDraws = { integers: () => NaN, random: () => NaN };

describe('NumberLine', () => {
  it('deals distances as the published rule of equal numbers has it', () => {
    const distances = chancesOf(deals, ({ target, current }) => Math.abs(target - current));
    // 14, 8, 6, 6 and 2 of 36: of unequal pairs 10, 8, 6, 4, 2; of equal ones 0 … 3 → 1, 4 → 0 (distance 4), 5 → 1 (distance 4)
    expect([...distances].sort()).toEqual(
      [14, 8, 6, 6, 2].map((count, place) => [String(place + 1), expect.closeTo(count / 36, 12)]),
    );
  });

  it('moves an equal target on, 5 to 1 and 4 to 0', () => {
    const dealt = (value: number) => game.deal({ integers: () => value, random: () => NaN });
    expect([0, 3, 4, 5].map((value) => dealt(value).target)).toEqual([1, 4, 0, 1]);
  });

  it.each([
    // target, current, action, then: current, reward, terminated
    [3, 1, 1, 2, 0, false],
    [3, 1, 0, 0, -1, false],
    [3, 2, 1, 3, 1, true],
    [3, 0, 0, 0, -1, false],
    [1, 5, 1, 5, -1, false],
    [0, 1, 0, 0, 1, true],
  ])('to %i from %i by %i: at %i for %i, ended %s', (target, current, action, at, reward, terminated) => {
    const outcome = game.act({ target, current, steps: 0 }, action, noDraws);
    expect(outcome).toEqual({
      state: { target, current: at, steps: 1 },
      reward,
      terminated,
      truncated: false,
      won: terminated,
    });
  });

  it('is cut off after ten steps, unless the tenth reaches the target', () => {
    const late = { target: 2, current: 0, steps: 9 };
    expect(game.act(late, 1, noDraws)).toMatchObject({ terminated: false, truncated: true });
    const close = { ...late, current: 1 };
    expect(game.act(close, 1, noDraws)).toMatchObject({ terminated: true, truncated: false });
  });

  it('is always won by the expert, with return 1', () => {
    const figures = figuresOf(game, deals, (state) => only(game.expert(state), 2));
    expect(figures.success).toBeCloseTo(1, 12);
    expect(figures.meanReturn).toBeCloseTo(1, 12);
    // the mean distance: (14 + 16 + 18 + 24 + 10) / 36
    expect(figures.meanLength).toBeCloseTo(82 / 36, 12);
  });

  it('is won by chance in 163 of 576 games', () => {
    const figures = figuresOf(game, deals, () => uniform(2));
    // without a step that comes no closer: the chances of the distances 1 … 5 by 1/2, 1/4, …, 1/32
    expect(figures.success).toBeCloseTo((14 / 2 + 8 / 4 + 6 / 8 + 6 / 16 + 2 / 32) / 36, 12);
    // printed by tools/reference/gym_cards_rules.py figures
    expect(figures.meanReturn).toBeCloseTo(-2.482937282986111, 12);
    expect(figures.meanLength).toBeCloseTo(6.188422309027778, 12);
  });

  it('is won in 19 of 36 games by always adding, the best that can be done blindly', () => {
    expect(figuresOf(game, deals, () => only(1, 2)).success).toBeCloseTo(19 / 36, 12);
  });

  it('speaks as published', () => {
    const state = { target: 4, current: 0, steps: 3 };
    expect(game.facts(state)).toEqual({ Target: 4, Current: 0 });
    expect(game.text(state)).toBe('Target number: 4. Current number: 0');
    expect(game.arrays(state)).toEqual({ numbers: { shape: [2], data: Int32Array.of(4, 0) } });
  });
});
