import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mcNemar, pairedScores, pairedWins, rateInterval, wilsonInterval, type Pair } from './intervals.ts';

const z = 1.959963984540054;

describe('the difference of two policies on the same tasks', () => {
  it('is the mean of the differences of scores, with the interval of their standard error', () => {
    // differences 1, 3, 2, 2: mean 2, squares 1 + 1 = 2, s² = 2/3, standard error √(2/3/4) = √(1/6)
    const pairs: Pair[] = [
      [0, 1],
      [1, 4],
      [5, 7],
      [-2, 0],
    ];
    // Student's t of 3 degrees of freedom
    const half = 3.1824 * Math.sqrt(1 / 6);
    const { tasks, difference, ci95 } = pairedScores(pairs)!;
    expect([tasks, difference]).toEqual([4, 2]);
    expect(ci95![0]).toBeCloseTo(2 - half, 12);
    expect(ci95![1]).toBeCloseTo(2 + half, 12);
  });

  it('of success adds half a task to each outcome of a pair', () => {
    // 10 tasks, 4 won by the second alone, 1 by the first alone: of 12 tasks 4.5 and 1.5, so (4.5 − 1.5)/12 = 0.25
    const pairs: Pair[] = [
      ...Array<Pair>(4).fill([0, 1]),
      [1, 0],
      ...Array<Pair>(3).fill([1, 1]),
      ...Array<Pair>(2).fill([0, 0]),
    ];
    // variance (6/12 − 0.25²)/12 = 0.4375/12
    const half = z * Math.sqrt(0.4375 / 12);
    const { tasks, difference, ci95, p } = pairedWins(pairs)!;
    // 2 · (1 + 5) / 2⁵
    expect([tasks, difference, p]).toEqual([10, 0.3, expect.closeTo(0.375, 12)]);
    expect(ci95![0]).toBeCloseTo(0.25 - half, 12);
    expect(ci95![1]).toBeCloseTo(0.25 + half, 12);
  });

  it('of policies that never differ has an interval around 0 that shrinks with the tasks', () => {
    // 8 equal tasks: (1/10 − 0)/10 = 0.01, half width z · 0.1
    expect(pairedWins(Array<Pair>(8).fill([1, 1]))).toMatchObject({ difference: 0 });
    expect(pairedWins(Array<Pair>(8).fill([1, 1]))!.ci95![1]).toBeCloseTo(z * 0.1, 12);
  });

  it('is null without tasks, and of one score has no interval', () => {
    expect([pairedScores([]), pairedWins([])]).toEqual([null, null]);
    expect(pairedScores([[1, 3]])).toEqual({ tasks: 1, difference: 2, ci95: null });
  });

  it('of shares stays within its bound', () => {
    // differences 1 and 0 of two tasks: ½ ± 12.7 · ½
    expect(
      pairedScores(
        [
          [0, 1],
          [0, 0],
        ],
        1,
      )!.ci95,
    ).toEqual([-1, 1]);
  });

  it('excludes 0 exactly where the exact test rejects', () => {
    fc.assert(
      fc.property(fc.nat(60), fc.nat(60), fc.nat(400), (gained, lost, equal) => {
        const pairs = [
          ...Array<Pair>(gained).fill([0, 1]),
          ...Array<Pair>(lost).fill([1, 0]),
          ...Array<Pair>(equal + 1).fill([1, 1]),
        ];
        const { ci95, p } = pairedWins(pairs)!;
        expect(ci95![0] > 0 || ci95![1] < 0).toBe(p! < 0.05);
      }),
    );
  });
});

describe('mcNemar', () => {
  it('is the probability of a fair coin, for thousands of tosses too', () => {
    expect(mcNemar(0, 0)).toBe(1);
    // 2 · 0.5⁵, and 2 · (1 + 8) / 2⁸
    expect(mcNemar(0, 5)).toBeCloseTo(0.0625, 12);
    expect(mcNemar(7, 1)).toBeCloseTo(18 / 256, 12);
    expect(mcNemar(3, 3)).toBe(1);
    // 4000 tosses: a standard deviation of 31.6; 62.5 from the middle, with its half, is 1.976 of them
    expect(mcNemar(1937, 2063)).toBeCloseTo(0.0481, 3);
  });
});

describe('rateInterval', () => {
  it('is Wilson’s with one attempt a task, and the narrower the more attempts differ within tasks', () => {
    const of = (rates: readonly number[], trials: number) => rateInterval(rates, trials)!;
    expect(of([1, 0, 0, 1, 1], 1)).toEqual([expect.closeTo(0.2307, 3), expect.closeTo(0.8824, 3)]);
    expect(wilsonInterval(3, 5)).toEqual([expect.closeTo(0.2307, 3), expect.closeTo(0.8824, 3)]);
    // equal rates: as many independent attempts as there are; every attempt lost: as many as tasks
    expect(of([0.5, 0.5], 4)).toEqual(wilsonInterval(4, 8));
    expect(of([0, 0, 0], 8)).toEqual(wilsonInterval(0, 3));
    expect(rateInterval([], 4)).toBeNull();
  });
});

describe('wilsonInterval', () => {
  it('agrees with published examples', () => {
    // Newcombe 1998, table I: 81 of 263: 0.2553–0.3662; 15 of 148: 0.0624–0.1605; 0 of 20: 0–0.1611; 1 of 29: 0.0061–0.1718
    const rounded = (successes: number, trials: number) =>
      wilsonInterval(successes, trials)!.map((bound) => Number(bound.toFixed(4)));
    expect(rounded(81, 263)).toEqual([0.2553, 0.3662]);
    expect(rounded(15, 148)).toEqual([0.0624, 0.1605]);
    expect(rounded(0, 20)).toEqual([0, 0.1611]);
    expect(rounded(1, 29)).toEqual([0.0061, 0.1718]);
    expect(wilsonInterval(0, 0)).toBeNull();
  });

  it('contains the rate and stays within 0 and 1 for any counts', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.nat(500), (trials, some) => {
        const successes = Math.min(some, trials);
        const [low, high] = wilsonInterval(successes, trials)!;
        expect(low).toBeGreaterThanOrEqual(0);
        expect(low).toBeLessThanOrEqual(successes / trials);
        expect(high).toBeGreaterThanOrEqual(successes / trials);
        expect(high).toBeLessThanOrEqual(1);
      }),
    );
  });
});
