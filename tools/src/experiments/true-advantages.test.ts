import { builtinGame, parseGame, World } from '@emac/world';
import { describe, expect, it } from 'vitest';
import { pearson, spearman } from './correlation.ts';
import { trueAdvantages } from './true-advantages.ts';

const { id, file } = builtinGame('valid_unseen', 0);
const game = parseGame(file, { id });

describe('true advantages', () => {
  it('of a shortest plan lead from γ^d to 1, each step by the factor 1/γ', () => {
    const world = new World(game);
    world.reset();
    const plan = world.shortestPlan()!;
    const found = trueAdvantages(game, plan, { discount: 0.9, maxSteps: 50 });
    expect(found).toHaveLength(plan.length);
    // after the first step γ^(d − 1), before it γ^d
    expect(found[0]).toBeCloseTo(0.9 ** (plan.length - 1) - 0.9 ** plan.length, 12);
    expect(found.at(-1)).toBeCloseTo(1 - 0.9, 12);
    expect(found.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1 - 0.9 ** plan.length, 12);
  });

  it('are 0 for a step that changes nothing, and minus the whole value where the limit makes success impossible', () => {
    const world = new World(game);
    world.reset();
    const { length } = world.shortestPlan()!;
    const [wasted] = trueAdvantages(game, ['look'], { discount: 0.9, maxSteps: 50 });
    expect(wasted).toBe(0);
    const [late] = trueAdvantages(game, ['look'], { discount: 0.9, maxSteps: length });
    expect(late).toBeCloseTo(-(0.9 ** length), 12);
  });
});

describe('correlations', () => {
  it('have the values derived by hand', () => {
    // deviations −1 0 1 and −1 1 0: 1 / √(2 · 2)
    expect(pearson([1, 2, 3], [4, 6, 5])).toBeCloseTo(0.5, 12);
    expect(pearson([1, 2, 3], [2, 2, 2])).toBeNull();
    // ranks 0.5 0.5 2 and 0 1 2: deviations −.5 −.5 1 and −1 0 1: 1.5 / √(1.5 · 2)
    expect(spearman([7, 7, 900], [1, 2, 3])).toBeCloseTo(1.5 / Math.sqrt(3), 12);
  });
});
