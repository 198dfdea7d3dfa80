/**
 * How far two float32 programs may be apart that compute the same language model with sums in another order.
 *
 * A sum of n products, each rounded by at most u = 2⁻²⁴, is off by about √n · u of the sum of their magnitudes, as roundings of either
 * sign mostly cancel (Higham and Mary 2019, "A New Approach to Probabilistic Rounding Error Analysis", SIAM J. Sci. Comput. 41(5)).
 * Attention and feed-forward of a layer each add such a sum to what the layer before gave. What is off stays in it and is read by all
 * that follow, so that 2 · layers sums count in full: their errors share their inputs and need not cancel. Each of the two programs
 * is off by so much. A stage is measured by its largest magnitude, so that large logits may differ by as much more.
 *
 * This leaves out by how much a network enlarges an error, which no size tells: a layer after a norm gives about what it gets.
 * Where attention is sharp two right programs can be farther apart; then the reference's own distance from float64 says so.
 */
import type { LlamaConfig } from '../files/model-config.ts';

type Sizes = Pick<LlamaConfig, 'layers' | 'hiddenSize' | 'intermediateSize' | 'heads' | 'headSize'>;

/** half the distance of 1 from the next number of 24 bits */
const unitRoundoff = 2 ** -24;

/** The distance over the largest magnitude of a stage. */
export function float32Difference({ layers, hiddenSize, intermediateSize, heads, headSize }: Sizes): number {
  const longestSum = Math.max(hiddenSize, intermediateSize, heads * headSize);
  return 2 * (2 * layers) * Math.sqrt(longestSum) * unitRoundoff;
}
