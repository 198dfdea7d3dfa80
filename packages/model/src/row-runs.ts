/**
 * Rows through a row graph: laid out in groups of similar length, one run for each group. How rows are grouped orders
 * the computation and bounds memory; what is computed for a row does not depend on its company.
 */
import type { NetworkSession } from '@emac/backbone';
import type { Features } from '@emac/core';
import type { Feeds, Value } from '@emac/graph';
import { groupByLength, packRows, type PackedRows, type TokenRow } from './rows.ts';
import type { VisualTokens } from './visual-tokens.ts';

export interface StudentRow {
  readonly features: Features;
  readonly tokens: TokenRow;
}

/** Rows of one run. */
export interface RowGroup extends Pick<PackedRows, 'owners'> {
  /** their places among all rows */
  readonly members: readonly number[];
}

export interface RowRuns {
  readonly session: NetworkSession;
  /** feeds of a group beside `visual` and those of `packRows` */
  readonly feeds?: (group: RowGroup) => Feeds;
  readonly take: (group: RowGroup, results: Readonly<Record<string, Value>>) => void;
}

export interface RowLayout {
  readonly visual: VisualTokens;
  /** Nq */
  readonly queries: number;
  /** any valid token id: padding is masked */
  readonly pad: number;
  /** positions of one run, visual tokens and padding included */
  readonly positionsPerRun: number;
}

/** Runs rows group by group, one after the other. */
export async function runRows(
  layout: RowLayout,
  rows: readonly StudentRow[],
  { session, feeds, take }: RowRuns,
): Promise<void> {
  const { visual, queries, pad, positionsPerRun } = layout;
  const lengths = groupByLength(
    rows.map(({ tokens }) => tokens),
    { queries, budget: positionsPerRun },
  );
  for (const members of lengths) {
    const inGroup = members.map((index) => rows[index]!);
    const packed = packRows(
      inGroup.map(({ tokens }) => tokens),
      { queries, pad },
    );
    const group = { members, owners: packed.owners };
    const features = inGroup.map((row) => row.features);
    const results = await session.run({ ...packed.feeds, visual: visual.of(features), ...feeds?.(group) });
    take(group, results);
  }
}

/** Runs rows through a graph with an output `visual_gradient` [B, Nq, D]; → all rows' gradients [n, Nq, D]. */
export async function visualGradients(
  layout: RowLayout,
  rows: readonly StudentRow[],
  runs: RowRuns,
): Promise<Float32Array> {
  const { size } = layout.visual;
  const all = new Float32Array(rows.length * size);
  await runRows(layout, rows, {
    ...runs,
    take: (group, results) => {
      const gradient = floats(results, 'visual_gradient');
      group.members.forEach((index, row) =>
        all.set(gradient.subarray(row * size, (row + 1) * size), index * size),
      );
      runs.take(group, results);
    },
  });
  return all;
}

/** The numbers of a float32 output. */
export function floats(results: Readonly<Record<string, Value>>, name: string): Float32Array {
  return results[name]!.data as Float32Array;
}
