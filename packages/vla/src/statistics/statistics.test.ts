import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { datasetStatistics } from './dataset-statistics.ts';
import { normalizeAction, unnormalizeAction } from './normalize.ts';
import { readStatistics, statisticsKey, writeStatistics } from './statistics-file.ts';

const twice = (value: number): [number, number] => [value, value];

describe('statistics of a data set', () => {
  // 0 … 100: mean 50, variance (101² − 1) / 12 = 850, quantiles 1 and 99 on values
  const demonstrations = [
    { actions: Array.from({ length: 60 }, (_, k) => twice(k)) },
    { actions: Array.from({ length: 41 }, (_, k) => twice(100 - k)) },
  ];
  const statistics = datasetStatistics(demonstrations, [true, false]);

  it('cover all steps together', () => {
    expect(statistics).toMatchObject({ num_transitions: 101, num_trajectories: 2 });
    const { action } = statistics;
    expect([action.mean, action.min, action.max, action.q01, action.q99]).toEqual(
      [50, 0, 100, 1, 99].map(twice),
    );
    expect(action.std[0]).toBeCloseTo(Math.sqrt(850), 12);
    expect(action.mask).toEqual([true, false]);
    expect(statistics).not.toHaveProperty('proprio');
  });

  it('normalize by the mask: q01 becomes −1, q99 becomes 1, and values outside are clipped', () => {
    const of = (value: number) => normalizeAction([value, value], statistics.action);
    expect(of(1)).toEqual([-1, 1]);
    expect(of(50)[0]).toBeCloseTo(0, 9);
    // 2 · 98 / (98 + 1e-8) − 1, a little below 1
    expect(of(99)[0]).toBe((2 * 98) / (98 + 1e-8) - 1);
    expect([of(-7)[0], of(300)[0]]).toEqual([-1, 1]);
  });

  it('map a constant dimension to 0, masked or not', () => {
    const still = datasetStatistics([{ actions: [twice(3), twice(3)] }], [true, false]).action;
    expect(normalizeAction([3, 3], still)).toEqual([0, 0]);
  });

  it('can be undone between the quantiles', () => {
    fc.assert(
      fc.property(fc.double({ min: 1, max: 98.9, noNaN: true }), (value) => {
        const back = unnormalizeAction(normalizeAction([value, value], statistics.action), statistics.action);
        expect(Math.abs(back[0]! - value)).toBeLessThan(1e-7);
        expect(back[1]).toBe(value);
      }),
    );
  });

  it.each([
    ['nothing', [], [true], /at least one row/],
    ['ragged rows', [{ actions: [[1, 2], [3]] }], [true, true], /row 1 must be 2 numbers/],
    ['what is no number', [{ actions: [[1], [NaN]] }], [true], /row 1/],
    ['a short mask', [{ actions: [[1, 2]] }], [true], /needs 2 entries/],
    ['proprio of some', [{ actions: [[1]], proprio: [[1]] }, { actions: [[1]] }], [true], /1 of 2/],
    ['proprio of other length', [{ actions: [[1]], proprio: [[1], [2]] }], [true], /one row for each/],
  ])('are rejected for %s', (_case, demonstrations, mask, message) => {
    expect(() => datasetStatistics(demonstrations, mask)).toThrow(message);
  });

  it('of another data set are detected by their dimensions', () => {
    expect(() => unnormalizeAction([1, 2, 3], statistics.action)).toThrow(/has 3 numbers, the statistics 2/);
  });

  it('survive writing and reading', () => {
    const file = { libero_goal_no_noops: statistics };
    expect(readStatistics(writeStatistics(file))).toEqual(file);
  });
});

describe('a file of statistics', () => {
  const good = datasetStatistics([{ actions: [[1], [2]] }], [true]);
  const broken = (change: object): string => JSON.stringify({ libero: { ...good, ...change } });

  it.each([
    ['no JSON', '{', /not JSON/],
    ['a list', '[]', /the file/],
    ['a missing quantile', broken({ action: { ...good.action, q01: undefined } }), /libero\.action\.q01/],
    ['a text for a number', broken({ action: { ...good.action, mean: ['1'] } }), /libero\.action\.mean\.0/],
    ['other dimensions', broken({ action: { ...good.action, max: [1, 2] } }), /action\.max: needs 1 entries/],
    ['a short mask', broken({ action: { ...good.action, mask: [] } }), /action\.mask: needs 1 entries/],
    ['half a step', broken({ num_transitions: 1.5 }), /num_transitions/],
  ])('is rejected with %s', (_case, text, message) => {
    expect(() => readStatistics(text)).toThrow(message);
  });

  it('may have no mask, and then all is normalized', () => {
    const { mask: _mask, ...action } = good.action;
    const { libero } = readStatistics(broken({ action }));
    // half way from 1.01 to 1.99
    expect(unnormalizeAction([0], libero!.action)[0]).toBeCloseTo(1.5, 12);
  });

  it('resolves a suite, or the suite without idle steps', () => {
    expect(statisticsKey('libero_goal', { libero_goal: 0, libero_goal_no_noops: 0 })).toBe('libero_goal');
    expect(statisticsKey('libero_10', { libero_10_no_noops: 0 })).toBe('libero_10_no_noops');
    expect(() => statisticsKey('libero_90', { libero_10: 0 })).toThrow(
      'must have libero_90 or libero_90_no_noops, got libero_10',
    );
    expect(() => statisticsKey('toString', {})).toThrow(/got nothing/);
  });
});
