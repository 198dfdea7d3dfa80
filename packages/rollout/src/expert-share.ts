/** The probability that the expert acts: DAgger's schedule βᵢ (Ross et al. 2011, section 3.3) as a value. */

/** In round r the expert acts at each step with probability `start · decayʳ`, the policy otherwise. */
export interface ExpertShare {
  /** from 0 to 1 */
  readonly start: number;
  /** from 0 to 1; 0⁰ is 1 */
  readonly decay: number;
}

/** The policy always acts, as published. */
export const policyActs: ExpertShare = { start: 0, decay: 1 };

/** The expert always acts. */
export const expertActs: ExpertShare = { start: 1, decay: 1 };

/** β of a round. */
export function expertShareIn({ start, decay }: ExpertShare, round: number): number {
  return start * decay ** round;
}
