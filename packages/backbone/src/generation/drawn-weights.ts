/**
 * What can be drawn after truncation: the `topK` likeliest tokens, then the nucleus, the smallest set of likeliest tokens
 * that holds `topP` of what is left (Holtzman et al., arXiv 1904.09751), in Hugging Face's order. Tokens that are cut off
 * weigh 0, so nothing need be sorted without truncation, and for a nucleus no more than its own tokens. Departure: of
 * equal scores at an edge, the lower token ids are kept, not all.
 */
import { noCandidate } from './top-candidates.ts';

export interface Truncation {
  /** scores are divided by it: below 1 favours the likely */
  readonly temperature: number;
  /** how many of the likeliest tokens can be drawn; null: all */
  readonly topK: number | null;
  /** share of the probability that can be drawn, above 0 to 1 */
  readonly topP: number;
}

/**
 * For every score [V] a weight in proportion to its probability, 0 where it cannot be drawn; written to `weights` where given,
 * since new memory of that size at every token costs more than what is computed. Errors: `data` where nothing can be drawn.
 */
export function drawnWeights(
  scores: Float32Array,
  { temperature, topK, topP }: Truncation,
  weights = new Float64Array(scores.length),
): Float64Array {
  let highest = -Infinity;
  for (const score of scores) if (score > highest) highest = score;
  if (!(highest > -Infinity)) throw noCandidate();
  let total = 0;
  for (let token = 0; token < scores.length; token++) {
    weights[token] = Math.exp((scores[token]! - highest) / temperature);
    total += weights[token]!;
  }
  if (topK !== null && topK < scores.length) total = cut(weights, { tokens: topK, weight: Infinity });
  if (topP < 1) cut(weights, { tokens: Infinity, weight: topP * total });
  return weights;
}

interface Limit {
  /** so many tokens are kept */
  readonly tokens: number;
  /** no token is kept after likelier ones of this weight together, but the first */
  readonly weight: number;
}

/** Sets all but the likeliest weights to 0; gives the sum of those that stay. */
function cut(weights: Float64Array, limit: Limit): number {
  const { counts, sums } = inBands(weights);
  const before = { tokens: 0, weight: 0 };
  let edge = 0;
  const isWithin = (tokens: number, weight: number) => tokens < limit.tokens && weight < limit.weight;
  while (edge < counts.length && isWithin(before.tokens + counts[edge]!, before.weight + sums[edge]!)) {
    before.tokens += counts[edge]!;
    before.weight += sums[edge]!;
    edge++;
  }
  const atEdge: number[] = [];
  for (let token = 0; token < weights.length; token++) {
    const band = bandOf(weights[token]!);
    if (band === edge) atEdge.push(token);
    else if (band > edge) weights[token] = 0;
  }
  // equals stay in the order of their ids
  for (const token of atEdge.sort((a, b) => weights[b]! - weights[a]!)) {
    const isKept = before.tokens === 0 || isWithin(before.tokens, before.weight);
    if (!isKept) weights[token] = 0;
    before.tokens++;
    before.weight += weights[token]!;
  }
  return before.weight;
}

const bandCount = 256;

/** Tokens and weight in bands of like weights, the heaviest first, so that only the one where a limit falls need be sorted. */
function inBands(weights: Float64Array) {
  const [counts, sums] = [new Int32Array(bandCount), new Float64Array(bandCount)];
  for (const weight of weights) {
    const band = bandOf(weight);
    counts[band]!++;
    sums[band]! += weight;
  }
  return { counts, sums };
}

/** The heaviest weight is 1; what weighs nothing is in the last band. */
function bandOf(weight: number): number {
  return Math.min(bandCount - 1, Math.floor(-8 * Math.log(weight)));
}
