import { describe, expect, it } from 'vitest';
import { episodesOf, shapedSteps } from './shaping.ts';
import { mixedAdvantages, utilityReward, utilityShare } from './utility.ts';

const scale = 0.6;
const settings = { actionFrequencyBonus: scale, utility: null };
const first = { before: null, update: 0, updates: 40 };
const lost = { place: 0, return: 0, steps: 3, truncated: true };
const won = { place: 1, return: 1, steps: 2, truncated: false };
const own = (action: number) => ({ action, actionStart: 0 });
const fallback = { action: null, actionStart: 0 };

/**
 * Three steps of two environments, row by row. The first continues from an earlier update, is lost at its second step
 * and restarts; the second wins at its second step and restarts.
 */
const steps = {
  environments: 2,
  terminated: Uint8Array.of(0, 0, 0, 1, 0, 0),
  truncated: Uint8Array.of(0, 0, 1, 0, 0, 0),
  actions: [2, 5, 2, 5, 2, 5],
  readings: [2, 5, 2, 5, 2, 5].map(own),
  finished: [lost, won],
  rewards: Float64Array.of(0, 0, 0, 1, 0, 0),
  ratings: [4, 8, null, null, 0, 10],
};

describe('the episode of each step', () => {
  it('is the one that ended with it or later, and null for an unfinished one', () => {
    expect(episodesOf(steps)).toEqual([lost, won, lost, won, null, null]);
  });
});

describe('the share of steps with a rating', () => {
  it('counts steps that end no episode, and is reported if ratings count', () => {
    const shareOf = (utility: 'reward' | 'advantage' | null, update: number, ratings = steps.ratings) =>
      shapedSteps({ ...steps, ratings }, { ...settings, utility }, { ...first, update }).ratedShare;
    // the third step and the fourth end episodes
    expect(shareOf('reward', 39)).toBe(1);
    expect(shareOf('reward', 0, [null, 8, null, null, null, null])).toBe(1 / 4);
    expect(shareOf('advantage', 0, Array<null>(6).fill(null))).toBe(0);
    // α is 0 after a quarter of the run
    expect([shareOf('advantage', 10), shareOf(null, 0)]).toEqual([null, null]);
  });
});

describe('the action-frequency bonus', () => {
  it('is the scale over √ of the uses of the action in its episode, in failed episodes alone', () => {
    const { bonuses, state } = shapedSteps(steps, settings, first);
    // the first environment takes action 2 once, then twice; its new episode has not failed yet
    [scale, 0, scale / Math.SQRT2, 0, 0, 0].forEach((bonus, place) =>
      expect(bonuses![place]).toBeCloseTo(bonus, 12),
    );
    // the counts restart with the episodes
    expect(state).toEqual({ actionCounts: [{ 2: 1 }, { 5: 1 }] });
  });

  it('counts on from the update before', () => {
    const before = { actionCounts: [{ 2: 2, 4: 7 }, {}] };
    const bonuses = shapedSteps(steps, settings, { ...first, before }).bonuses!;
    // the third and the fourth use
    expect(bonuses[0]).toBeCloseTo(scale / Math.sqrt(3), 12);
    expect(bonuses[2]).toBeCloseTo(scale / 2, 12);
    // inputs are unchanged
    expect(before).toEqual({ actionCounts: [{ 2: 2, 4: 7 }, {}] });
  });

  it('is 0 for a fallback action, which is still counted', () => {
    const readings = [fallback, ...steps.readings.slice(1)];
    const bonuses = shapedSteps({ ...steps, readings }, settings, first).bonuses!;
    expect(bonuses[0]).toBe(0);
    expect(bonuses[2]).toBeCloseTo(scale / Math.SQRT2, 12);
  });

  it('is off at 0', () => {
    const nothing = { rewards: null, mix: null, bonuses: null, ratedShare: null, state: null };
    expect(shapedSteps(steps, { actionFrequencyBonus: 0, utility: null }, first)).toEqual(nothing);
  });
});

describe('utilities', () => {
  it('as a reward are earned by all steps but the last of successful episodes', () => {
    const { rewards, mix } = shapedSteps(steps, { actionFrequencyBonus: 0, utility: 'reward' }, first);
    // of the episode that won the first step alone is rated: 0.04 · (8 − 2) / 8
    [0, 0.03, 0, 0, 0, 0].forEach((reward, place) => expect(rewards![place]).toBeCloseTo(reward, 12));
    expect(mix).toBeNull();
  });

  it('as advantages are mixed in with their share until it is 0', () => {
    const of = (update: number) =>
      shapedSteps(steps, { actionFrequencyBonus: 0, utility: 'advantage' }, { ...first, update });
    // a lost end has the mean of 0.4, 0.8, 0 and 1
    const { share, utilities } = of(0).mix!;
    [0.4, 0.8, 0.55, 1, 0, 1].forEach((utility, place) => expect(utilities[place]).toBeCloseTo(utility, 12));
    expect(share).toBe(1);
    expect(of(10).mix).toBeNull();
    expect(of(0).rewards).toBeNull();
  });

  it.each([
    [-1, 0],
    [2.9, 0],
    [3, 0.005],
    [6, 0.02],
    [10, 0.04],
    [12, 0.04],
  ])('of a rating of %d earn %d', (rating, reward) => expect(utilityReward(rating)).toBeCloseTo(reward, 12));

  it.each([
    [0, 100, 1],
    [3, 100, 1],
    [4, 100, 21 / 23], // 1 − 2 / 23
    [24, 100, 1 / 23],
    [25, 100, 0],
    [3, 8, 1],
    [4, 8, 0],
    [4, 1, 0],
  ])('in update %d of %d have the share %d', (update, updates, share) =>
    expect(utilityShare(update, updates)).toBeCloseTo(share, 12),
  );

  it('are mixed in by their share, times the normalized return', () => {
    const advantages = Float64Array.of(1, -1, 2);
    // mean 2, unbiased deviation 1
    const returns = Float64Array.of(1, 2, 3);
    const utilities = Float64Array.of(0.5, 1, 0.8);
    const found = mixedAdvantages({ share: 0.25, utilities }, { advantages, returns, epsilon: 0 });
    [0.75 - 0.125, -0.75, 1.5 + 0.2].forEach((value, place) => expect(found[place]).toBeCloseTo(value, 12));
  });
});
