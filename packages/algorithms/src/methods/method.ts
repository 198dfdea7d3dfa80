/** A method: the gradient of an update over samples, and the loss on samples. It does not know the samples' source. */
import type { Measures, UpdateGradient } from '@emac/optim';

/** An update's gradient, with the measures of each of its micro-batches, which the published log prints. */
export interface MethodGradient extends UpdateGradient {
  readonly microBatches: readonly Measures[];
}

export interface Method<Sample> {
  /**
   * The gradient of one update: the mean of its micro-batches' losses, computed with the factor `lossScale`. A sample
   * may come several times; it is computed once.
   */
  gradient(microBatches: readonly (readonly Sample[])[], lossScale: number): Promise<MethodGradient>;
  /** Loss and more over some samples, without learning; one sample or more. */
  measure(samples: readonly Sample[]): Promise<Measures & { readonly loss: number }>;
}
