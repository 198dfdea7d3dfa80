import { describe, expect, it } from 'vitest';
import { frozenLake } from './frozen-lake.ts';
import { planOf, waysOf } from './ways.ts';

describe('the best actions', () => {
  it('arrive as likely as Gymnasium notes where it registers the lakes', () => {
    const chanceIn = (id: string): number => {
      const lake = frozenLake(id);
      lake.reset(0);
      return lake.chance();
    };
    // "optimum = 0.74" and "optimum = 0.91"
    expect(chanceIn('FrozenLake-v1')).toBeCloseTo(0.74, 2);
    expect(chanceIn('FrozenLake8x8-v1')).toBeCloseTo(0.91, 2);
    expect(chanceIn('FrozenLake8x8-v1/not-slippery')).toBe(1);
  });

  it('count the steps that are left', () => {
    // two cells of four are beside the goal: the first step reaches one of them with 2/3, and the second step arrives from there with 1/3
    const plan = planOf(waysOf(['SF', 'FG'], 1 / 3), 2);
    expect(plan.chance(1, 0)).toBe(0);
    expect(plan.chance(1, 1)).toBeCloseTo(1 / 3, 12);
    expect(plan.chance(2, 0)).toBeCloseTo(2 / 9, 12);
  });

  it('go the shortest way on dry ground, although every way arrives', () => {
    const lake = frozenLake('FrozenLake8x8-v1/not-slippery');
    lake.reset(0);
    let steps = 0;
    for (let ended = false; !ended; steps++) ended = lake.step(lake.best()[0]!).terminated;
    // seven rows and seven columns
    expect(steps).toBe(14);
    const fresh = frozenLake('FrozenLake-v1/not-slippery');
    fresh.reset(0);
    expect(fresh.best()).toEqual([1, 2]);
  });

  it('turn away from a hole that a slip could reach', () => {
    // in the second row of the first column, only moving left cannot slip into the hole on the right
    const lake = frozenLake('FrozenLake-v1');
    lake.reset(0);
    lake.restore({ ...lake.state(), place: 4 });
    expect(lake.best()).toEqual([0]);
  });
});
