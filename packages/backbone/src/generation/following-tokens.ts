/**
 * What may follow each text of a step: scores after the rules, by which a search chooses, and log-probabilities under
 * the model itself, which it reports. Asks a reader for no more than its few best tokens where the rules allow that.
 */
import { logProbabilityOf, logSoftmax } from './log-softmax.ts';
import type { Beam, NextScores, Ranking } from './prompt-reader.ts';
import { applyScoreRules, applyScoreRulesTo, tokensNeeded, type ScoreRules } from './score-rules.ts';
import type { TokenScores } from './top-candidates.ts';

export interface FollowingTokens extends TokenScores {
  /** of one of these tokens, before the rules */
  logProbability(token: number): number;
}

export interface Step {
  /** none before the first token */
  readonly beams: readonly Beam[];
  /** new tokens of each text so far; before the first token one text without any */
  readonly texts: readonly (readonly number[])[];
  readonly rules: ScoreRules;
  /** how many of the best tokens are looked at; null: all */
  readonly count: number | null;
  /** what the rules are applied to; of all tokens, `scores` are on this scale */
  readonly scale: 'logits' | 'log-probabilities';
}

/** More of the best tokens than this cost more than all logits do. */
const mostBestTokens = 256;

/** One for each text. */
export async function followingTokens({ next, best }: NextScores, step: Step): Promise<FollowingTokens[]> {
  const { beams, texts } = step;
  const count = rankingSize(step);
  if (best && count !== null)
    return (await best(beams, count)).map((ranking, place) => ofRanking(ranking, step, texts[place]!));
  return (await next(beams)).map((logits, place) => ofLogits(logits, step, texts[place]!));
}

/** Null where all logits are needed, or cost less. A ranking does not tell the logits that a penalty is to change. */
function rankingSize({ texts, rules, count, scale }: Step): number | null {
  if (count === null || (scale === 'logits' && rules.repetitionPenalty !== 1)) return null;
  const most = Math.max(...texts.map((generated) => tokensNeeded(rules, { count, generated }) ?? Infinity));
  return most > mostBestTokens ? null : most;
}

function ofRanking(
  { tokens, logProbabilities }: Ranking,
  { rules }: Step,
  generated: readonly number[],
): FollowingTokens {
  return {
    tokens,
    scores: applyScoreRulesTo({ tokens, logProbabilities: logProbabilities.slice() }, rules, generated),
    logProbability: (token) => logProbabilities[tokens.indexOf(token)]!,
  };
}

function ofLogits(
  logits: Float32Array,
  { rules, scale }: Step,
  generated: readonly number[],
): FollowingTokens {
  const scores = scale === 'logits' ? logits.slice() : logSoftmax(logits);
  return {
    scores: applyScoreRules(scores, rules, generated),
    logProbability: logProbabilityOf(logits),
  };
}
