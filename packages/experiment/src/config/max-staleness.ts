/** How many updates older a policy is that plays than the one that learns from it: a setting of the method, whoever plays. */
import { stalenessAtMost } from '@emac/algorithms';
import { z } from 'zod';

export const maxStalenessSchema = z
  .number()
  .int()
  .min(0)
  .max(stalenessAtMost)
  .default(0)
  .describe(
    'updates that the policy that plays is behind the one that learns: with --queue workers play so far ahead in place of waiting; each ratio is to the policy that played, and steps of an older one are refused',
  );

/** What a run says of it, where it is above 0. */
export function stalenessNote(
  what: 'steps' | 'answers',
  { maxStaleness }: { readonly maxStaleness: number },
): string {
  return `--max-staleness ${maxStaleness}: an update learns from ${what} of the policy of ${maxStaleness} ${maxStaleness === 1 ? 'update' : 'updates'} before, weighted by how likely they are now; ends in equal bytes for an equal --max-staleness`;
}
