import { describe, expect, it } from 'vitest';
import { pairedScores, pairedWins, type Pair } from './paired.ts';

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
    const half = z * Math.sqrt(1 / 6);
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
    const { tasks, difference, ci95 } = pairedWins(pairs)!;
    expect([tasks, difference]).toEqual([10, 0.3]);
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
});
