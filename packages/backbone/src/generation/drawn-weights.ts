/**
 * What can be drawn after truncation: the `topK` likeliest tokens, then the nucleus, the smallest set of likeliest tokens
 * that holds `topP` of what is left (Holtzman et al., arXiv 1904.09751), in Hugging Face's order. Tokens that are cut off
 * weigh 0, so nothing need be sorted without truncation, and for a nucleus no more than its own tokens. Departure: of
 * equal scores at an edge, the lower token ids are kept, not all.
 */
import { noCandidate, topCandidates } from './top-candidates.ts';

export interface Truncation {
  /** scores are divided by it: below 1 favours the likely */
  readonly temperature: number;
  /** how many of the likeliest tokens can be drawn; null: all */
  readonly topK: number | null;
  /** share of the probability that can be drawn, above 0 to 1 */
  readonly topP: number;
}

/** For every score [V] a weight in proportion to its probability, 0 where it cannot be drawn. Errors: `data` where nothing can. */
export function drawnWeights(
  scores: Float32Array,
  { temperature, topK, topP }: Truncation,
): Float64Array<ArrayBuffer> {
  let highest = -Infinity;
  for (const score of scores) if (score > highest) highest = score;
  if (!(highest > -Infinity)) throw noCandidate();
  const weights = Float64Array.from(scores, (score) => Math.exp((score - highest) / temperature));
  if (topK !== null && topK < scores.length) {
    const likeliest = topCandidates([{ scores }], [0], topK).map(({ token }) => token);
    keepOnly(weights, likeliest);
  }
  if (topP < 1) keepOnly(weights, nucleus(weights, topP));
  return weights;
}

function keepOnly(weights: Float64Array, tokens: readonly number[]): void {
  const kept = tokens.map((token) => weights[token]!);
  weights.fill(0);
  tokens.forEach((token, place) => (weights[token] = kept[place]!));
}

/** From the likeliest token on, as many as hold `share` of all weight, one at least. */
function nucleus(weights: Float64Array, share: number): number[] {
  const wanted = share * weights.reduce((sum, weight) => sum + weight, 0);
  const kept: number[] = [];
  let before = 0;
  for (const token of likeliestFirst(weights)) {
    if (kept.length > 0 && before >= wanted) break;
    kept.push(token);
    before += weights[token]!;
  }
  return kept;
}

/** what the heaviest token of a band weighs, over the lightest */
const bandRatio = 8;

/** Tokens that have a weight, in bands, each sorted when it is asked for: a nucleus mostly ends in the first few. */
function* likeliestFirst(weights: Float64Array): Generator<number> {
  let upper = Infinity;
  // the highest weight is 1
  for (
    let lower = 1 / bandRatio;
    upper > 0;
    upper = lower, lower = lower < Number.EPSILON ? 0 : lower / bandRatio
  ) {
    const band: number[] = [];
    weights.forEach((weight, token) => {
      if (weight > 0 && weight >= lower && weight < upper) band.push(token);
    });
    // equals stay in the order of their ids
    yield* band.sort((a, b) => weights[b]! - weights[a]!);
  }
}
