/**
 * Weights for sampling after truncation. First the `topK` most likely tokens are kept, then the nucleus: the smallest set
 * of most likely tokens that holds `topP` of their probability (Holtzman et al., arXiv 1904.09751). The order is Hugging
 * Face's. Truncated tokens weigh 0, so without truncation nothing is sorted, and for a nucleus only its own tokens.
 * Departure: of equal scores at an edge, the lower token ids are kept, not all.
 */
import { noCandidate } from './top-candidates.ts';

export interface Truncation {
  /** scores are divided by it: below 1 favours likely tokens */
  readonly temperature: number;
  /** how many of the most likely tokens can be sampled; null: all */
  readonly topK: number | null;
  /** share of the probability that can be sampled, above 0 to 1 */
  readonly topP: number;
}

/**
 * A weight for every score [V], proportional to its probability, 0 if it cannot be sampled. The result goes into `weights` if
 * given, since fresh memory of that size at every token costs more than the computation. Errors: `data` if no token can be
 * sampled.
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
  /** most tokens to keep */
  readonly tokens: number;
  /** keeps tokens until their weight reaches this; always keeps the first */
  readonly weight: number;
}

/** Sets all but the largest weights to 0; returns the sum of the kept ones. */
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
  // equal weights stay in the order of their ids
  for (const token of atEdge.sort((a, b) => weights[b]! - weights[a]!)) {
    const isKept = before.tokens === 0 || isWithin(before.tokens, before.weight);
    if (!isKept) weights[token] = 0;
    before.tokens++;
    before.weight += weights[token]!;
  }
  return before.weight;
}

const bandCount = 256;

/** Tokens and weight in bands of similar weights, the heaviest first, so only the band at a limit is sorted. */
function inBands(weights: Float64Array) {
  const [counts, sums] = [new Int32Array(bandCount), new Float64Array(bandCount)];
  for (const weight of weights) {
    const band = bandOf(weight);
    counts[band]!++;
    sums[band]! += weight;
  }
  return { counts, sums };
}

/** The heaviest weight is 1; tokens of no weight are in the last band. */
function bandOf(weight: number): number {
  return Math.min(bandCount - 1, Math.floor(-8 * Math.log(weight)));
}
