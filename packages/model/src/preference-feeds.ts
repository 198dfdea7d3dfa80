/**
 * What the preference graph reads beside the packed rows: matrices that average each response's token
 * log-probabilities, the reference policy's means, and the weights of the pairs.
 */
import type { PreferenceRow } from '@emac/core';
import type { Value } from '@emac/graph';
import type { PackedRows } from './rows.ts';

/**
 * `chosen_means`, `rejected_means` [B, L] (response 0 and 1 of each row; row sums are 1), `reference_chosen`,
 * `reference_rejected`, `pair_weights` [B, 1], all float32.
 */
export function preferenceFeeds(
  rows: readonly PreferenceRow[],
  { owners }: Pick<PackedRows, 'owners'>,
): Record<string, Value> {
  return {
    chosen_means: means(0, rows.length, owners),
    rejected_means: means(1, rows.length, owners),
    reference_chosen: column(rows, (row) => row.referenceChosen),
    reference_rejected: column(rows, (row) => row.referenceRejected),
    pair_weights: column(rows, (row) => row.weight),
  };
}

function means(response: number, rows: number, owners: PackedRows['owners']): Value {
  const counts = new Array<number>(rows).fill(0);
  const labels = owners.flatMap((owner, label) =>
    owner.response === response ? [{ row: owner.row, label }] : [],
  );
  for (const { row } of labels) counts[row]!++;
  const data = new Float32Array(rows * owners.length);
  for (const { row, label } of labels) data[row * owners.length + label] = 1 / counts[row]!;
  return { type: 'float32', shape: [rows, owners.length], data };
}

function column(rows: readonly PreferenceRow[], value: (row: PreferenceRow) => number): Value {
  return { type: 'float32', shape: [rows.length, 1], data: Float32Array.from(rows, value) };
}
