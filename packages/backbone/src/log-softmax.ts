/**
 * Log-probabilities from logits, rounded to float32 where PyTorch's float32 kernel rounds, so that beams that
 * nearly tie fall the same way.
 */

/** log softmax of one row of logits [V], as float32. */
export function logSoftmax(logits: Float32Array): Float32Array {
  let maximum = -Infinity;
  for (const logit of logits) if (logit > maximum) maximum = logit;
  let sum = 0;
  for (const logit of logits) sum += Math.exp(logit - maximum);
  const logSum = Math.log(sum);
  const result = new Float32Array(logits.length);
  for (let token = 0; token < logits.length; token++) result[token] = logits[token]! - maximum - logSum;
  return result;
}
