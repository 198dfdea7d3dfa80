/** A run's note on staleness. */

/** The note, if the limit is above 0. */
export function stalenessNote(
  what: 'steps' | 'answers',
  { maxStaleness }: { readonly maxStaleness: number },
): string {
  return `--max-staleness ${maxStaleness}: an update learns from ${what} of the policy of ${maxStaleness} ${maxStaleness === 1 ? 'update' : 'updates'} before, weighted by how likely they are now; ends in equal bytes for an equal --max-staleness`;
}
