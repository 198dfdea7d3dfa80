/**
 * Compared with numpy, by `tools/reference/write_vla.py`: tokens of 20,001 values and of every edge and its neighbours,
 * statistics, normalization.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decodeAction, encodeAction } from './actions/action-tokens.ts';
import { datasetStatistics, type DatasetStatistics } from './statistics/dataset-statistics.ts';
import { normalizeAction, unnormalizeAction } from './statistics/normalize.ts';
import { quantile } from './statistics/quantile.ts';
import { readStatistics } from './statistics/statistics-file.ts';

interface Fixture {
  readonly tokens: Readonly<Record<'grid' | 'edges' | 'decoded' | 'bins', string>> & {
    readonly edgeIds: readonly number[];
  };
  readonly quantiles: readonly (readonly [number, number])[];
  readonly demonstrations: readonly { readonly actions: number[][]; readonly proprio: number[][] }[];
  readonly statistics: Readonly<Record<string, DatasetStatistics>>;
  readonly normalized: readonly (readonly number[])[];
  readonly unnormalized: readonly (readonly number[])[];
}

const fixture = JSON.parse(
  readFileSync(new URL('../fixtures/actions.json', import.meta.url), 'utf8'),
) as Fixture;

const digest = (values: Int32Array | Float64Array): string =>
  createHash('sha256').update(new Uint8Array(values.buffer)).digest('hex');

/** The adjacent floating-point number, towards `end`. */
function beside(value: number, end: number): number {
  const bits = new BigInt64Array(1);
  const numbers = new Float64Array(bits.buffer);
  numbers[0] = value;
  bits[0]! += end > value === value > 0 ? 1n : -1n;
  return numbers[0];
}

// numpy's linspace is checked by its digest, so the neighbours are those of its edges
const edges = Float64Array.from({ length: 256 }, (_, k) => (k === 255 ? 1 : k * (2 / 255) - 1));

describe('action tokens', () => {
  it('equal numpy’s for 20,001 values from −1.2 to 1.2', () => {
    const grid = Array.from({ length: 20_001 }, (_, k) => -1.2 + (2.4 * k) / 20_000);
    expect(digest(Int32Array.from(encodeAction(grid)))).toBe(fixture.tokens.grid);
  });

  it('equal numpy’s on every edge and for the adjacent numbers', () => {
    expect(digest(edges)).toBe(fixture.tokens.bins);
    const values = [-2, 2].flatMap((end) => Array.from(edges, (edge) => beside(edge, end)));
    const ids = encodeAction([...edges, ...values]);
    expect(ids.filter((_, place) => place % 37 === 0)).toEqual(fixture.tokens.edgeIds);
    expect(digest(Int32Array.from(ids))).toBe(fixture.tokens.edges);
  });

  it('are decoded as in numpy, to the last bit', () => {
    const ids = Array.from({ length: 32_064 - 31_700 }, (_, k) => 31_700 + k);
    expect(digest(Float64Array.from(decodeAction(ids)))).toBe(fixture.tokens.decoded);
  });
});

const near = (found: readonly number[], expected: readonly number[]): void =>
  found.forEach((value, place) => expect(value).toBeCloseTo(expected[place]!, 12));

describe('statistics', () => {
  const expected = readStatistics(JSON.stringify(fixture.statistics))['libero_spatial_no_noops']!;
  const actions = fixture.demonstrations.flatMap((each) => each.actions);

  it('equal numpy’s', () => {
    const found = datasetStatistics(fixture.demonstrations);
    expect(found).toMatchObject({ num_transitions: 113, num_trajectories: 4 });
    expect(found.action.mask).toEqual(expected.action.mask);
    for (const name of ['mean', 'std', 'max', 'min', 'q01', 'q99'] as const) {
      near(found.action[name], expected.action[name]);
      near(found.proprio![name], expected.proprio![name]);
    }
    expect(Object.keys(found.proprio!)).toEqual(Object.keys(expected.proprio!));
  });

  it('have numpy’s quantiles, for one value and for ten thousand', () => {
    fixture.quantiles.forEach(([count, value], place) => {
      const sorted = Float64Array.from({ length: count }, (_, k) => Math.sin(k * 1.5)).sort();
      expect(quantile(sorted, [0.01, 0.5, 0.99][place % 3]!)).toBeCloseTo(value, 14);
    });
  });

  it('normalize and un-normalize like numpy', () => {
    const normalized = actions.map((action) => normalizeAction(action, expected.action));
    const robot = normalized.map((action) =>
      unnormalizeAction(decodeAction(encodeAction(action)), expected.action),
    );
    const every9th = <T>(rows: readonly T[]): T[] => rows.filter((_, place) => place % 9 === 0);
    every9th(normalized).forEach((row, place) => near(row, fixture.normalized[place]!));
    every9th(robot).forEach((row, place) => near(row, fixture.unnormalized[place]!));
    expect(fixture.unnormalized).toHaveLength(13);
  });
});
