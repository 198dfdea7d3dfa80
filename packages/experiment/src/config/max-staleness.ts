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
