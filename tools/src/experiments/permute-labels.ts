/** A dataset with permuted labels: training on it shows effects that are not due to the labels' content. */
import { Random } from '@emac/core';

/** The records with every `text_output` moved to a random place. */
export function permuteLabels<R extends { readonly text_output: string }>(
  records: readonly R[],
  random: Random,
): R[] {
  const labels = random.shuffle(records.map(({ text_output }) => text_output));
  return records.map((record, index) => ({ ...record, text_output: labels[index]! }));
}
