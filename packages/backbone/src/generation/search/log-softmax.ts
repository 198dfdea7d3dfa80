/**
 * Log-probabilities from logits, rounded to float32 where PyTorch's float32 kernel rounds, so that near ties between
 * beams are resolved the same way.
 */

/** log softmax of one row of logits [V], as float32. */
export function logSoftmax(logits: Float32Array): Float32Array {
  const { maximum, logSum } = normalizer(logits);
  const result = new Float32Array(logits.length);
  for (let token = 0; token < logits.length; token++) result[token] = logits[token]! - maximum - logSum;
  return result;
}

/** The same numbers, computed one by one on request; `logits` must not change. */
export function logProbabilityOf(logits: Float32Array): (token: number) => number {
  let found: Normalizer | undefined;
  return (token) => {
    const { maximum, logSum } = (found ??= normalizer(logits));
    return Math.fround(logits[token]! - maximum - logSum);
  };
}

/** A softmax of logits divided by a temperature. */
export interface TokenDistribution {
  /** of one token, as float32 */
  logProbability(token: number): number;
  /** −Σ p log p in nats, as float32; impossible tokens add nothing */
  readonly entropy: number;
}

/** The distribution of a row of logits [V] at a temperature above 0, over some of its tokens or, with null, all. */
export function tokenDistribution(
  row: Float32Array,
  temperature: number,
  among: readonly number[] | null = null,
): TokenDistribution {
  const logits = among ? Float32Array.from(among, (token) => row[token]!) : row;
  let maximum = -Infinity;
  for (const logit of logits) if (logit > maximum) maximum = logit;
  let [sum, weighted] = [0, 0];
  for (let token = 0; token < logits.length; token++) {
    const scaled = (logits[token]! - maximum) / temperature;
    const weight = Math.exp(scaled);
    sum += weight;
    if (weight > 0) weighted += weight * scaled;
  }
  const logSum = Math.log(sum);
  return {
    logProbability: (token) => Math.fround((row[token]! - maximum) / temperature - logSum),
    entropy: Math.fround(logSum - weighted / sum),
  };
}

interface Normalizer {
  readonly maximum: number;
  readonly logSum: number;
}

function normalizer(logits: Float32Array): Normalizer {
  let maximum = -Infinity;
  for (const logit of logits) if (logit > maximum) maximum = logit;
  let sum = 0;
  for (const logit of logits) sum += Math.exp(logit - maximum);
  return { maximum, logSum: Math.log(sum) };
}
