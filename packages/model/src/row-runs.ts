/**
 * Rows through a row graph: laid out in groups of similar length, one run for each group. How rows are grouped orders
 * the computation and bounds memory; what is computed for a row does not depend on its company.
 */
import type { NetworkSession } from '@emac/backbone';
import type { Features } from '@emac/core';
import type { Feeds, Value } from '@emac/graph';
import { groupByLength, groupInOrder, packRows, type PackedRows, type TokenRow } from './rows.ts';
import type { VisualTokens } from './visual-tokens.ts';

export interface StudentRow {
  readonly features: Features;
  readonly tokens: TokenRow;
}

/** Rows of one run. */
export interface RowGroup extends Pick<PackedRows, 'owners'> {
  /** their places among all rows */
  readonly members: readonly number[];
  /** of each sequence that runs the member that it is part of: a member each, or a response each */
  readonly sequences: readonly number[];
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
  /** responses of a row share its prompt, rather than each following a copy of it */
  readonly sharedPrompts: boolean;
  /** rows run with rows of similar length, rather than in the order given */
  readonly groupedByLength: boolean;
}

/** Runs rows group by group, one after the other. */
export async function runRows(
  layout: RowLayout,
  rows: readonly StudentRow[],
  { session, feeds, take }: RowRuns,
): Promise<void> {
  const { visual, queries, pad } = layout;
  for (const members of groups(layout, rows)) {
    const sequences = members.flatMap((index, member) =>
      sequencesOf(rows[index]!.tokens, layout).map((tokens, response) => ({ tokens, member, response })),
    );
    const packed = packRows(
      sequences.map(({ tokens }) => tokens),
      { queries, pad },
    );
    const owners = packed.owners.map(({ row, response }) => {
      const sequence = sequences[row]!;
      return { row: sequence.member, response: sequence.response + response };
    });
    const group = { members, owners, sequences: sequences.map(({ member }) => member) };
    const features = sequences.map(({ member }) => rows[members[member]!]!.features);
    const results = await session.run({ ...packed.feeds, visual: visual.of(features), ...feeds?.(group) });
    take(group, results);
  }
}

function groups(layout: RowLayout, rows: readonly StudentRow[]): number[][] {
  const { queries, positionsPerRun: budget, groupedByLength } = layout;
  const group = groupedByLength ? groupByLength : groupInOrder;
  return group(
    rows.map(({ tokens }) => tokens),
    { queries, budget },
  );
}

function sequencesOf(row: TokenRow, { sharedPrompts }: RowLayout): TokenRow[] {
  if (sharedPrompts) return [row];
  return row.responses.map((response) => ({ prompt: row.prompt, responses: [response] }));
}

/**
 * Runs rows through a graph with an output `visual_gradient` [B, Nq, D]; → all rows' gradients [n, Nq, D], each the sum
 * over its sequences.
 */
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
      group.sequences.forEach((member, row) => {
        const sum = all.subarray(group.members[member]! * size, (group.members[member]! + 1) * size);
        for (let place = 0; place < size; place++) sum[place]! += gradient[row * size + place]!;
      });
      runs.take(group, results);
    },
  });
  return all;
}

/** The numbers of a float32 output. */
export function floats(results: Readonly<Record<string, Value>>, name: string): Float32Array {
  return results[name]!.data as Float32Array;
}
