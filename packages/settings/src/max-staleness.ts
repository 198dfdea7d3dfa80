/** A run's note on staleness. */

/** The note, if the limit is above 0. */
export function stalenessNote(
  what: 'steps' | 'answers',
  { maxStaleness }: { readonly maxStaleness: number },
): string {
  return `--max-staleness ${maxStaleness}: an update learns from ${what} of the policy ${maxStaleness} ${maxStaleness === 1 ? 'update' : 'updates'} earlier, weighted by probability ratios; the result depends on --max-staleness, not on worker speed`;
}
