/** Who acts in a collection. */

import type { CollectConfig } from './collect-config.ts';
const shares = { student: 0, expert: 1 } as const;

/** Probability that the expert acts, per step. */
export function expertShareOf({
  actWith,
  expertProbability,
}: Pick<CollectConfig, 'actWith' | 'expertProbability'>): number {
  return actWith === 'mixture' ? expertProbability : shares[actWith];
}
