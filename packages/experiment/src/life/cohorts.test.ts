import { describe, expect, it } from 'vitest';
import { cohortsOf } from './cohorts.ts';

describe('complete cohorts', () => {
  it('wait for the slowest environment, so that short, lucky episodes are not judged alone', () => {
    const cohorts = cohortsOf(3, null);
    cohorts.add({ place: 0, return: 1 });
    cohorts.add({ place: 0, return: 1 });
    cohorts.add({ place: 2, return: 1 });
    expect(cohorts.completed()).toBeNull();
    cohorts.add({ place: 1, return: 0 });
    // the first of each: 1, 0 and 1
    expect(cohorts.completed()).toBeCloseTo(2 / 3);
    expect(cohorts.state).toEqual([[1], [], []]);
    cohorts.add({ place: 1, return: 0 });
    cohorts.add({ place: 2, return: 0.5 });
    cohorts.add({ place: 2, return: 8 });
    expect(cohorts.completed()).toBeCloseTo(0.5);
    expect(cohorts.state).toEqual([[], [], [8]]);
  });

  it('are the mean of all that an update completed', () => {
    const cohorts = cohortsOf(1, null);
    for (const reached of [1, 2, 6]) cohorts.add({ place: 0, return: reached });
    expect(cohorts.completed()).toBe(3);
    expect(cohorts.completed()).toBeNull();
  });

  it('resume only from a state with the same number of environments', () => {
    const cohorts = cohortsOf(2, JSON.parse(JSON.stringify([[4], []])));
    cohorts.add({ place: 1, return: 2 });
    expect(cohorts.completed()).toBe(3);
    for (const other of [[[1]], 'text', [[null], []]])
      expect(() => cohortsOf(2, other)).toThrow('training state: its returns must be of 2 environments');
  });
});
