import { describe, expect, it } from 'vitest';
import { sweepCells, sweepFile } from './sweep-file.ts';
import { overSeeds } from './sweep-results.ts';

const of = (content: object) => sweepFile({ command: 'train --method ppo', ...content }, 'a.yaml');

describe('the cells of a sweep', () => {
  it('are every combination of the grid, the last setting fastest, with every seed', () => {
    const cells = sweepCells(of({ grid: { a: [1, 2], 'b.c': ['x', null] }, seeds: [3, 5] }));
    expect(cells.map(({ number, settings, seed }) => [number, ...Object.values(settings), seed])).toEqual([
      [0, 1, 'x', 3],
      [0, 1, 'x', 5],
      [1, 1, null, 3],
      [1, 1, null, 5],
      [2, 2, 'x', 3],
      [2, 2, 'x', 5],
      [3, 2, null, 3],
      [3, 2, null, 5],
    ]);
    expect(sweepCells(of({}))).toEqual([{ number: 0, settings: {}, seed: 0 }]);
  });

  it('are draws within their ranges, equal for equal seeds, and more draws keep the first', () => {
    const settings = {
      rate: { from: 1e-4, to: 1e-2, scale: 'log' },
      width: { from: 1, to: 3, whole: true },
      kind: ['a', 'b'],
    };
    const drawn = (draws: number, seed = 0) =>
      sweepCells(of({ random: { draws, seed, settings } })).map((cell) => cell.settings);
    const many = drawn(400);
    expect(drawn(10)).toEqual(many.slice(0, 10));
    expect(drawn(10, 1)).not.toEqual(many.slice(0, 10));
    const rates = many.map(({ rate }) => rate as number);
    expect(Math.min(...rates)).toBeGreaterThanOrEqual(1e-4);
    expect(Math.max(...rates)).toBeLessThanOrEqual(1e-2);
    // half of the draws lie below the geometric mean 1e-3; the binomial's deviation is 10
    const below = rates.filter((rate) => rate < 1e-3).length;
    expect(Math.abs(below - 200)).toBeLessThan(50);
    // a third each; the deviation is 9.4
    for (const width of [1, 2, 3])
      expect(Math.abs(many.filter((each) => each['width'] === width).length - 400 / 3)).toBeLessThan(47);
    expect(new Set(many.map(({ kind }) => kind))).toEqual(new Set(['a', 'b']));
  });

  it('are each draw beside each combination', () => {
    const cells = sweepCells(of({ grid: { a: [1, 2] }, random: { draws: 3, settings: { b: [7] } } }));
    expect(cells.map(({ settings }) => settings)).toEqual([1, 2, 1, 2, 1, 2].map((a) => ({ a, b: 7 })));
  });

  it.each<[string, object, string]>([
    [
      'a name twice',
      { grid: { a: [1] }, random: { draws: 1, settings: { a: [2] } } },
      'a is in grid and in random',
    ],
    ['a seed among the settings', { grid: { seed: [1] } }, 'seed is decided by the sweep'],
    ['equal seeds', { seeds: [1, 1] }, 'seeds must differ, 1 is there twice'],
    [
      'a range from 0 by factors',
      { random: { draws: 1, settings: { a: { from: 0, to: 1, scale: 'log' } } } },
      'random.settings.a must go from a smaller to a larger number',
    ],
    ['an unknown part', { grids: {} }, 'grids'],
    ['a flag among the settings', { grid: { '--lr': [1] } }, '--lr is not the name of a setting'],
    ['a value twice', { grid: { a: [1, 2, 1] } }, 'grid.a must differ, 1 is there twice'],
    ['a value that JSON lacks', { grid: { a: [Number.NaN] } }, 'grid.a.0'],
    ['no values', { grid: { a: [] } }, 'grid.a'],
  ])('are refused with %s', (_what, content, rule) => {
    expect(() => of(content)).toThrow(rule);
    expect(() => of(content)).toThrow(/^a\.yaml: /);
  });
});

describe('a mean over seeds', () => {
  it('has the interval of Student’s t', () => {
    // mean 2, deviation 1, three values: 2 ± 4.303 · 1/√3
    const { mean, interval } = overSeeds([1, 2, 3, null])!;
    expect(mean).toBe(2);
    expect(interval![0]).toBeCloseTo(2 - 4.303 / Math.sqrt(3), 10);
    expect(interval![1]).toBeCloseTo(2 + 4.303 / Math.sqrt(3), 10);
    expect(overSeeds([0.5])).toEqual({ mean: 0.5, interval: null });
    expect(overSeeds([null])).toBeNull();
  });
});
