/**
 * Estimates of the Kullback–Leibler divergence KL(q ‖ p) from one answer sampled from q (Schulman 2020, "Approximating KL
 * divergence"), in nats. x is the log-probability under p minus that under q.
 */
import type { Arithmetic } from '@emac/core';

type Estimate = <T>(arithmetic: Arithmetic<T>, x: T) => T;

/** −x: unbiased, of either sign. As a loss its mean gradient is 0, so it belongs into the reward. */
export const k1: Estimate = ({ scale }, x) => scale(x, -1);

/** x² / 2: biased, never negative; its mean gradient is that of the divergence. */
export const k2: Estimate = ({ multiply, scale }, x) => scale(multiply(x, x), 0.5);

/** eˣ − 1 − x: unbiased, never negative. */
export const k3: Estimate = ({ exp, shift, subtract }, x) => shift(subtract(exp(x), x), -1);

export const divergenceEstimates = { k1, k2, k3 };

export type DivergenceEstimate = keyof typeof divergenceEstimates;
