import { describe, expect, it } from 'vitest';
import { groupAdvantages } from './group-advantages.ts';

const of = (rewards: number[], scale: 'group' | 'batch' | 'none' = 'group') =>
  groupAdvantages(rewards, { groupSize: 4, scale });

describe('group advantages', () => {
  // published numbers: [1, 0, 0, 1] has mean ½ and unbiased deviation √(1/3) = 0.577350: ½ / 0.577450
  it.each([
    [
      [1, 0, 0, 1],
      [0.865875, -0.865875, -0.865875, 0.865875],
    ],
    [
      [1, 0, 0, 0],
      [1.4997, -0.4999, -0.4999, -0.4999],
    ],
    [
      [1.34, 0.2, 1, 0.67],
      [1.105828, -1.239556, 0.406327, -0.272599],
    ],
  ])('of rewards %j are %j', (rewards, expected) => {
    of(rewards).advantages.forEach((value, place) => expect(value).toBeCloseTo(expected[place]!, 6));
  });

  it('are exactly 0 in a group of equal rewards, which is counted', () => {
    const { advantages, zeroDeviationShare, meanDeviation } = of([0.1, 0.1, 0.1, 0.1, 1, 0, 0, 1]);
    expect([...advantages.slice(0, 4)]).toEqual([0, 0, 0, 0]);
    expect(advantages[4]).toBeCloseTo(0.865875, 6);
    expect(zeroDeviationShare).toBe(0.5);
    expect(meanDeviation).toBeCloseTo(Math.sqrt(1 / 3) / 2, 12);
  });

  it('compare answers to the same prompt only', () => {
    const [low, high] = [
      [1, 0, 0, 1],
      [101, 100, 100, 101],
    ];
    const { advantages } = of([...low!, ...high!]);
    advantages.slice(4).forEach((value, place) => expect(value).toBeCloseTo(advantages[place]!, 10));
  });

  it('are scaled by the batch deviation, or not at all', () => {
    // deviation of all eight rewards, mean 1.5: squares 4 · 0.25 (the first four) + 4 · 2.25 (the others) = 10, over 7
    const rewards = [1, 2, 1, 2, 0, 3, 0, 3];
    expect(of(rewards, 'batch').advantages[5]).toBeCloseTo(1.5 / (Math.sqrt(10 / 7) + 1e-4), 12);
    expect([...of(rewards, 'none').advantages]).toEqual([-0.5, 0.5, -0.5, 0.5, -1.5, 1.5, -1.5, 1.5]);
  });

  it('are refused for incomplete groups, groups of one, and rewards that are not finite', () => {
    expect(() => of([1, 2, 3])).toThrow('needs whole groups of two or more, got 3 rewards in groups of 4');
    expect(() => groupAdvantages([1], { groupSize: 1, scale: 'group' })).toThrow('in groups of 1');
    expect(() => of([1, 0, NaN, 1])).toThrow('rewards must be finite, got NaN at 2');
  });
});

describe('batch advantages', () => {
  const found = (rewards: number[], groupSize: number, scale: 'group' | 'none' = 'none') => [
    ...groupAdvantages(rewards, { groupSize, scale, advantages: 'batch' }).advantages,
  ];

  it('compare an attempt with all others, so a group of equal rewards has them too', () => {
    // mean (1 + 1 + 0 + 4) / 4 = 1.5
    expect(found([1, 1, 0, 4], 2)).toEqual([-0.5, -0.5, -1.5, 2.5]);
    // squares 0.25 · 2 + 2.25 + 6.25 = 9, over 3
    const spread = Math.sqrt(3) + 1e-4;
    found([1, 1, 0, 4], 2, 'group').forEach((value, place) =>
      expect(value).toBeCloseTo([-0.5, -0.5, -1.5, 2.5][place]! / spread, 12),
    );
  });

  it('need no group, and are exactly 0 if all earned the same', () => {
    expect(found([1, 1, 0, 4], 1)).toEqual([-0.5, -0.5, -1.5, 2.5]);
    expect(found([0.1, 0.1, 0.1], 1, 'group')).toEqual([0, 0, 0]);
    expect(() => found([1, 2, 3], 2)).toThrow('needs whole groups of one or more');
  });
});

describe('leave-one-out advantages', () => {
  const alone = (rewards: number[], groupSize: number) => [
    ...groupAdvantages(rewards, { groupSize, scale: 'group', advantages: 'leave-one-out' }).advantages,
  ];

  // reward minus the mean of the others: 4 − (1 + 1)/2, 1 − (4 + 1)/2; 1 − (0 + 0 + 1)/3, 0 − (1 + 0 + 1)/3
  it.each([
    [
      [4, 1, 1],
      [3, -1.5, -1.5],
    ],
    [
      [1, 0, 0, 1],
      [2 / 3, -2 / 3, -2 / 3, 2 / 3],
    ],
    [
      [10, -2],
      [12, -12],
    ],
  ])('of rewards %j are %j', (rewards, expected) => {
    alone(rewards, rewards.length).forEach((value, place) => expect(value).toBeCloseTo(expected[place]!, 12));
  });

  it('compare attempts of one group only, and are exactly 0 for equal rewards', () => {
    // 0.1 + 0.1 + 0.1 is not three tenths in floating point
    expect(alone([0.1, 0.1, 0.1, 0.1, 8, 0, 0, 4], 4)).toEqual([0, 0, 0, 0, 8 - 4 / 3, -4, -4, 4 - 8 / 3]);
  });

  it('are n / (n − 1) times the unscaled group advantages', () => {
    const rewards = [1.34, 0.2, 1, 0.67];
    const unscaled = of(rewards, 'none').advantages;
    alone(rewards, 4).forEach((value, place) => expect(value).toBeCloseTo((4 / 3) * unscaled[place]!, 12));
  });
});
