/**
 * What the preference graph reads beside the packed rows: matrices that average or sum each response's token
 * log-probabilities, the reference policy's, and the weights of the pairs.
 */
import type { PreferenceRow } from '@emac/core';
import type { Value } from '@emac/graph';
import type { PackedRows } from './rows.ts';

/**
 * `chosen_weights`, `rejected_weights` [P, L] (response 0 and 1 of each pair; a row of P sums to 1, or for log-probabilities
 * that are sums to the response's length), `reference_chosen`, `reference_rejected`, `pair_weights` [P, 1], all float32.
 */
export function preferenceFeeds(
  pairs: readonly PreferenceRow[],
  { owners }: Pick<PackedRows, 'owners'>,
  averaged: boolean,
): Record<string, Value> {
  const weights = (response: number) => labelWeights({ response, averaged }, pairs.length, owners);
  return {
    chosen_weights: weights(0),
    rejected_weights: weights(1),
    reference_chosen: column(pairs, (pair) => pair.referenceChosen),
    reference_rejected: column(pairs, (pair) => pair.referenceRejected),
    pair_weights: column(pairs, (pair) => pair.weight),
  };
}

function labelWeights(
  { response, averaged }: { readonly response: number; readonly averaged: boolean },
  pairs: number,
  owners: PackedRows['owners'],
): Value {
  const counts = new Array<number>(pairs).fill(0);
  const labels = owners.flatMap((owner, label) =>
    owner.response === response ? [{ row: owner.row, label }] : [],
  );
  for (const { row } of labels) counts[row]!++;
  const data = new Float32Array(pairs * owners.length);
  for (const { row, label } of labels) data[row * owners.length + label] = averaged ? 1 / counts[row]! : 1;
  return { type: 'float32', shape: [pairs, owners.length], data };
}

function column(rows: readonly PreferenceRow[], value: (row: PreferenceRow) => number): Value {
  return { type: 'float32', shape: [rows.length, 1], data: Float32Array.from(rows, value) };
}
