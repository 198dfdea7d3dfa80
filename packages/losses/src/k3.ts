/**
 * An estimate of the Kullback–Leibler divergence KL(q ‖ p) from one answer sampled from q (Schulman 2020, "Approximating
 * KL divergence", the third estimator): eˣ − 1 − x for x = log p − log q. It is unbiased, and never negative.
 */
import type { Arithmetic } from '@emac/core';

/** eˣ − 1 − x, in nats; x is the log-probability under the other distribution minus that under the sampling one. */
export function k3<T>({ exp, shift, subtract }: Arithmetic<T>, x: T): T {
  return shift(subtract(exp(x), x), -1);
}
