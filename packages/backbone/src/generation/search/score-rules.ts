/**
 * Rules on scores before tokens are chosen: biases of tokens and sequences, the repetition penalty (Keskar et al. 2019,
 * arXiv 1909.05858, §4.1) and the minimum length, in Hugging Face's order, and a list of allowed texts. Beam search applies
 * them to log-probabilities, greedy search and sampling to logits.
 */
import { EmacError } from '@emac/core';

import type { TokenTrie } from './token-trie.ts';

/** Added to the score of the last of some tokens where those before it end prompt and text so far. */
export interface TokenBias {
  /** one or more */
  readonly tokens: readonly number[];
  /** −∞ forbids */
  readonly bias: number;
  /** only as the first new token; default false */
  readonly first?: boolean;
}

export interface ScoreRules {
  /** of the model: what it must not say, or is to say more or less often */
  readonly biases: readonly TokenBias[];
  /** s·p for s < 0, else s/p, for every token seen; 1 changes nothing */
  readonly repetitionPenalty: number;
  /** end tokens are impossible before this many new tokens */
  readonly minNewTokens: number;
  readonly endTokens: readonly number[];
  /** `huggingface`: the prompt's ids, image placeholders included; `lavis`: the begin token alone */
  readonly promptTokens: readonly number[];
  /** the only allowed texts, end token included; null: any text */
  readonly allowed: TokenTrie | null;
}

/** Changes `scores` [V] in place: the scores of every token after the new tokens `generated`. */
export function applyScoreRules(
  scores: Float32Array,
  rules: ScoreRules,
  generated: readonly number[],
): Float32Array {
  for (const [token, bias] of biasesAfter(rules, generated))
    if (token < scores.length) scores[token]! += bias;
  penalize(scores, rules, { generated });
  if (generated.length < rules.minNewTokens) for (const token of rules.endTokens) scores[token] = -Infinity;
  if (rules.allowed) keepOnly(scores, rules.allowed.after(generated));
  return scores;
}

/**
 * How many best tokens before the rules are enough to contain the best `count` after them; null if the rules need every
 * score. Biases and the penalty must lower scores for this, as 1 and more does to log-probabilities.
 */
export function tokensNeeded(
  rules: ScoreRules,
  { count, generated }: { count: number; generated: readonly number[] },
): number | null {
  const { repetitionPenalty, minNewTokens, endTokens, allowed } = rules;
  const biased = biasesAfter(rules, generated);
  if (allowed || repetitionPenalty < 1 || [...biased.values()].some((bias) => bias > 0)) return null;
  const penalized = repetitionPenalty === 1 ? 0 : seenTokens(rules, generated).size;
  return count + biased.size + penalized + (generated.length < minNewTokens ? endTokens.length : 0);
}

/** The same rules on the log-probabilities of some tokens, if `tokensNeeded` allows it. */
export function applyScoreRulesTo(
  ranking: { readonly tokens: readonly number[]; readonly logProbabilities: Float32Array },
  rules: ScoreRules,
  generated: readonly number[],
): Float32Array {
  const { tokens, logProbabilities: scores } = ranking;
  const biased = biasesAfter(rules, generated);
  tokens.forEach((token, place) => (scores[place]! += biased.get(token) ?? 0));
  penalize(scores, rules, { generated, tokens });
  if (generated.length < rules.minNewTokens)
    tokens.forEach((token, place) => {
      if (rules.endTokens.includes(token)) scores[place] = -Infinity;
    });
  return scores;
}

/**
 * The allowed texts that fit these lengths; any other would lead a search to a dead end. Errors: `usage` for
 * meaningless settings, or if no allowed text fits.
 */
export function reachableTexts(rules: ScoreRules & { readonly maxNewTokens: number }): TokenTrie | null {
  const { allowed, endTokens, minNewTokens, maxNewTokens, repetitionPenalty } = rules;
  if (!Number.isInteger(maxNewTokens) || maxNewTokens < 1)
    throw new EmacError('usage', `generation: maxNewTokens must be a positive integer, got ${maxNewTokens}`);
  if (!(repetitionPenalty > 0))
    throw new EmacError('usage', `generation: repetitionPenalty must be > 0, got ${repetitionPenalty}`);
  if (!allowed) return null;
  const reachable = allowed.filter(
    (text) => endTokens.includes(text.at(-1)!) && minNewTokens < text.length && text.length <= maxNewTokens,
  );
  if (reachable.after([]).length > 0) return reachable;
  throw new EmacError(
    'usage',
    `generation: none of the allowed texts ends with a token of [${endTokens.join(', ')}] after ${minNewTokens} to ${maxNewTokens - 1} others; allow others, or other lengths`,
  );
}

/** Sums of biases by token. */
function biasesAfter(
  { biases, promptTokens }: ScoreRules,
  generated: readonly number[],
): Map<number, number> {
  const sums = new Map<number, number>();
  const before = (back: number): number | undefined =>
    generated.at(-back) ?? promptTokens.at(generated.length - back);
  for (const { tokens, bias, first = false } of biases) {
    const last = tokens.length - 1;
    const isHere = tokens.every((token, place) => place === last || token === before(last - place));
    if (isHere && !(first && generated.length > 0))
      sums.set(tokens[last]!, (sums.get(tokens[last]!) ?? 0) + bias);
  }
  return sums;
}

function seenTokens({ promptTokens }: ScoreRules, generated: readonly number[]): ReadonlySet<number> {
  return new Set([...promptTokens, ...generated]);
}

/** Penalizes the seen tokens among `tokens`; `scores` are theirs. Without a list, score v is token v's. */
function penalize(
  scores: Float32Array,
  rules: ScoreRules,
  { generated, tokens }: { generated: readonly number[]; tokens?: readonly number[] },
): void {
  const penalty = Math.fround(rules.repetitionPenalty);
  if (penalty === 1) return;
  const seen = seenTokens(rules, generated);
  const apply = (place: number): void => {
    const score = scores[place];
    if (score !== undefined) scores[place] = score < 0 ? score * penalty : score / penalty;
  };
  if (!tokens) seen.forEach(apply);
  else tokens.forEach((token, place) => seen.has(token) && apply(place));
}

function keepOnly(scores: Float32Array, tokens: readonly number[]): void {
  const kept = tokens.map((token) => scores[token]!);
  scores.fill(-Infinity);
  tokens.forEach((token, place) => (scores[token] = kept[place]!));
}
