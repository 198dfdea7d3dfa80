/** The listener's scores: probabilities of "yes", the chosen candidate, and how clear the choice is. */

export interface CandidateScores {
  readonly yesProbabilities: readonly number[];
  /** the first of the most probable; −1 without candidates */
  readonly predicted: number;
  /** p_max / Σp, halved if p_max is below 0.3; 0 if Σp is 0 */
  readonly rewardScore: number;
}

/** Softmax over the logits of the tokens `yes` and `no`. */
export function yesProbability(yes: number, no: number): number {
  return 1 / (1 + Math.exp(no - yes));
}

/** As in the published listener. */
export function scoreCandidates(yesProbabilities: readonly number[]): CandidateScores {
  const highest = Math.max(...yesProbabilities);
  const total = yesProbabilities.reduce((sum, value) => sum + value, 0);
  const share = total > 0 ? highest / total : 0;
  return {
    yesProbabilities,
    predicted: yesProbabilities.indexOf(highest),
    rewardScore: highest < 0.3 ? share / 2 : share,
  };
}
