import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { sweepCells, sweepFile, type SweepCell } from './sweep-file.ts';
import { overSeeds } from './sweep-results.ts';
import { requireApart, stoppedSettings, updateAt, updatesMade, updatesOfRun } from './stop-worst.ts';

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

  it('are at most 100,000, and are counted before they are listed', () => {
    const values = Array.from({ length: 1000 }, (_, value) => value);
    expect(() => of({ grid: { a: values, b: values, c: values, d: values } })).toThrow(
      'a.yaml: must describe at most 100000 runs, describes 1000000000000; try fewer values, draws or seeds',
    );
    expect(sweepCells(of({ grid: { a: values }, seeds: values.slice(0, 100) }))).toHaveLength(100_000);
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
    expect(interval![0]).toBeCloseTo(2 - 4.303 / Math.sqrt(3), 3);
    expect(interval![1]).toBeCloseTo(2 + 4.303 / Math.sqrt(3), 3);
    expect(overSeeds([0.5])).toEqual({ mean: 0.5, interval: null });
    expect(overSeeds([null])).toBeNull();
  });
});

describe('a sweep that stops the worse half', () => {
  const folder = temporaryFolder();
  /** A run of each cell with these returns, update by update. */
  const runs = (returns: Readonly<Record<string, readonly (number | null)[]>>) => {
    for (const [cell, values] of Object.entries(returns)) {
      const run = join(folder, cell, 'run');
      mkdirSync(run, { recursive: true });
      writeFileSync(join(run, 'run.json'), '{}');
      const lines = values.map((value, update) =>
        JSON.stringify({ kind: 'update', update, mean_return: value }),
      );
      // the last line is under way
      writeFileSync(join(run, 'metrics.jsonl'), `${['{"kind":"other"}', ...lines, '{"ki'].join('\n')}`);
    }
  };
  const file = of({ grid: { a: [1, 2, 3, 4, 5] }, seeds: [0, 1], 'stop-worst': { after: [0.25, 0.5] } });
  const comparing = {
    stopWorst: file['stop-worst']!,
    updatesOf: () => 8,
    folderOf: ({ number, seed }: SweepCell) => join(folder, `${number}-${seed}`),
  };

  it('compares means over the updates since the stop before, then over seeds; equal ones by their order', () => {
    // updates 1 and 2, then 3 and 4
    runs({
      '0-0': [0, 1, 0, 0, 9],
      '0-1': [1, null, 0, 0],
      '1-0': [0, 0, 9, 9],
      '1-1': [0, 1, 9, 9],
      '2-0': [1, 1, 1, 0],
      '2-1': [1, 0, 1, 1],
      '3-0': [null, null],
      '3-1': [null, null],
      '4-0': [1, 1, 1, 1],
      '4-1': [0, 1, 1, 0],
    });
    const cells = sweepCells(file);
    // means: 3/4, 1/4, 3/4, none, 3/4; of five the three best stay
    expect(stoppedSettings(cells, 1, comparing)).toEqual(
      new Map([
        [1, { share: 0.25, measure: 0.25 }],
        [3, { share: 0.25, measure: null }],
      ]),
    );
    // 0, 3/4, 3/4: two stay, however good the ninth return was later
    expect([...stoppedSettings(cells, 2, comparing)].slice(2)).toEqual([[0, { share: 0.5, measure: 0 }]]);
    expect(updatesMade(join(folder, '0-0'))).toBe(5);
    const other = { ...comparing, stopWorst: { ...comparing.stopWorst, by: 'score' } };
    expect(() => stoppedSettings(cells, 1, other)).toThrow(
      /^stop-worst\.by: must be a number of .*0-0.*metrics\.jsonl, got score; it has update, mean_return$/,
    );
  });

  it('counts the updates of PPO and GRPO, and is refused for other methods', () => {
    // 100 steps, 8 an update
    expect(updatesOfRun({ play: { environmentSteps: 100, environments: 2, stepsPerUpdate: 4 } })).toBe(13);
    expect(updatesOfRun({ play: { updates: 7 } })).toBe(7);
    expect(() => updatesOfRun({ play: { rounds: 3 } })).toThrow(
      /^stop-worst: is for methods that count updates/,
    );
    expect([updateAt(0.25, 13), updateAt(0.01, 13)]).toEqual([4, 1]);
    requireApart({ after: [0.25, 0.5], by: 'mean_return' }, 4);
    expect(() => requireApart({ after: [0.25, 0.5], by: 'mean_return' }, 2)).toThrow(
      'stop-worst.after: must name different updates, got 0.25, 0.5 of 2, which are 1, 1; give runs of more updates',
    );
    expect(() => of({ 'stop-worst': { after: [0.5, 0.5] } })).toThrow(
      'stop-worst.after must rise, got 0.5, 0.5',
    );
  });
});
