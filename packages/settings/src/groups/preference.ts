/** The loss of the second phase. */
import { given } from '@emac/algorithms';
import { z } from 'zod';

export const preferenceSchema = z.strictObject({
  loss: z.enum(['sigmoid', 'ipo', 'hinge']).describe('dpo: the preference loss').meta(given('loss')),
  beta: z.number().positive().describe('dpo: inverse temperature of the implicit reward').meta(given('beta')),
  mixRatio: z
    .number()
    .min(0)
    .describe('dpo: weight of −log π(chosen) beside the preference loss')
    .meta(given('mix-ratio')),
  labelSmoothing: z
    .number()
    .min(0)
    .describe('dpo, sigmoid: label smoothing: probability of swapped pairs, below 0.5')
    .meta(given('label-smoothing')),
  referenceFree: z.boolean().describe('dpo: no reference policy (uniform)').meta(given('reference-free')),
  averageLogProbabilities: z
    .boolean()
    .describe('dpo: average log-probabilities over tokens instead of summing; ipo becomes length-normalized')
    .meta(
      given('', {
        off: {
          flag: 'sum-log-probs',
          help: 'dpo: log-probabilities are sums over tokens, not means; ipo is then not length-normalized',
        },
      }),
    ),
});
