/** A dataset whose labels are those of other records: what training on it brings is not what the labels say. */
import { Random } from '@emac/core';

/** The records with every `text_output` moved to a place that is drawn. */
export function permuteLabels<R extends { readonly text_output: string }>(
  records: readonly R[],
  random: Random,
): R[] {
  const labels = random.shuffle(records.map(({ text_output }) => text_output));
  return records.map((record, index) => ({ ...record, text_output: labels[index]! }));
}
