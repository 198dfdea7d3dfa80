import { describe, expect, it } from 'vitest';
import { episodesOf, shapedSteps } from './shaping.ts';

const scale = 0.6;
const settings = { actionFrequencyBonus: scale };
const lost = { return: 0, steps: 3, truncated: true };
const won = { return: 1, steps: 2, truncated: false };
const own = (action: number) => ({ action, actionStart: 0 });
const fallback = { action: null, actionStart: 0 };

/**
 * Three steps of two environments, row by row. The first goes on from an earlier update, is lost with its second step and begins again; the second
 * wins with its second step and begins again.
 */
const steps = {
  environments: 2,
  terminated: Uint8Array.of(0, 0, 0, 1, 0, 0),
  truncated: Uint8Array.of(0, 0, 1, 0, 0, 0),
  actions: [2, 5, 2, 5, 2, 5],
  readings: [2, 5, 2, 5, 2, 5].map(own),
  finished: [lost, won],
};

describe('the episode of each step', () => {
  it('is the one that ended with it or later, and none where it goes on', () => {
    expect(episodesOf(steps)).toEqual([lost, won, lost, won, null, null]);
  });
});

describe('the action-frequency bonus', () => {
  it('is the scale over √ of the uses of the action in its episode, in failed episodes alone', () => {
    const { bonuses, state } = shapedSteps(steps, settings, null)!;
    // the first environment takes action 2 once, twice; what it does in its new episode has not failed yet
    [scale, 0, scale / Math.SQRT2, 0, 0, 0].forEach((bonus, place) =>
      expect(bonuses[place]).toBeCloseTo(bonus, 12),
    );
    // the counts begin anew with the episodes
    expect(state).toEqual({ actionCounts: [{ 2: 1 }, { 5: 1 }] });
  });

  it('counts on from the update before', () => {
    const before = { actionCounts: [{ 2: 2, 4: 7 }, {}] };
    const { bonuses } = shapedSteps(steps, settings, before)!;
    // the third and the fourth use
    expect(bonuses[0]).toBeCloseTo(scale / Math.sqrt(3), 12);
    expect(bonuses[2]).toBeCloseTo(scale / 2, 12);
    // what was handed in is not changed
    expect(before).toEqual({ actionCounts: [{ 2: 2, 4: 7 }, {}] });
  });

  it('is nothing for an action that no answer named, which is counted', () => {
    const readings = [fallback, ...steps.readings.slice(1)];
    const { bonuses } = shapedSteps({ ...steps, readings }, settings, null)!;
    expect(bonuses[0]).toBe(0);
    expect(bonuses[2]).toBeCloseTo(scale / Math.SQRT2, 12);
  });

  it('is off at 0', () => {
    expect(shapedSteps(steps, { actionFrequencyBonus: 0 }, null)).toBeNull();
  });
});
