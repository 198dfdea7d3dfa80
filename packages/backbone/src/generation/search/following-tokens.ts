/**
 * The tokens that may follow each text of a step: scores after the rules, used by the search to choose, and
 * log-probabilities under the model itself, reported with the text. Asks a reader for only a few best tokens if the
 * rules allow it.
 */
import { logProbabilityOf, logSoftmax } from './log-softmax.ts';
import type { Beam, NextScores, Ranking } from '../prompts/prompt-reader.ts';
import { applyScoreRules, applyScoreRulesTo, tokensNeeded, type ScoreRules } from './score-rules.ts';
import type { TokenScores } from './top-candidates.ts';

export interface FollowingTokens extends TokenScores {
  /** of one of these tokens, before the rules */
  logProbability(token: number): number;
}

export interface Step {
  /** none before the first token */
  readonly beams: readonly Beam[];
  /** new tokens of each text so far; before the first token one empty text */
  readonly texts: readonly (readonly number[])[];
  readonly rules: ScoreRules;
  /** how many of the best tokens to consider; null: all */
  readonly count: number | null;
  /** the scale that the rules work on, also the scale of `scores` over all tokens */
  readonly scale: 'logits' | 'log-probabilities';
}

/** Beyond this number, best tokens cost more than all logits. */
const mostBestTokens = 256;

/** One for each text. */
export async function followingTokens({ next, best }: NextScores, step: Step): Promise<FollowingTokens[]> {
  const { beams, texts } = step;
  const count = rankingSize(step);
  if (best && count !== null)
    return (await best(beams, count)).map((ranking, place) => ofRanking(ranking, step, texts[place]!));
  return (await next(beams)).map((logits, place) => ofLogits(logits, step, texts[place]!));
}

/** Null if all logits are needed or cost less. A ranking lacks the logits that a penalty would change. */
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
