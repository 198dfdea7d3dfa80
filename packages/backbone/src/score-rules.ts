/**
 * What is done to a row of scores before tokens are chosen: the repetition penalty (Keskar et al. 2019,
 * arXiv 1909.05858, §4.1) and the minimum length, in Hugging Face's order. Beam search applies them to
 * log-probabilities, greedy search to logits.
 */

export interface ScoreRules {
  /** s·p for s < 0, else s/p, for every token seen; 1 changes nothing */
  readonly repetitionPenalty: number;
  /** end tokens are impossible before this many new tokens */
  readonly minNewTokens: number;
  readonly endTokens: readonly number[];
}

/** Changes `scores` [V] in place; `seen` are the tokens the penalty covers, `generated` counts new tokens so far. */
export function applyScoreRules(
  scores: Float32Array,
  rules: ScoreRules,
  { seen, generated }: { seen: Iterable<number>; generated: number },
): void {
  const penalty = Math.fround(rules.repetitionPenalty);
  if (penalty !== 1)
    for (const token of new Set(seen)) {
      const score = scores[token];
      if (score !== undefined) scores[token] = score < 0 ? score * penalty : score / penalty;
    }
  if (generated < rules.minNewTokens) for (const token of rules.endTokens) scores[token] = -Infinity;
}
