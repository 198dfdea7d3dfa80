/** What samples teach: the gradient of one update, and how well they are known already. Where they come from is another matter. */
import type { Measures, UpdateGradient } from '@emac/optim';

export interface Method<Sample> {
  /**
   * The gradient of one update: the mean over its micro-batches of each one's loss, times `lossScale` and divided by it
   * again. A sample may come several times; it is computed once.
   */
  gradient(microBatches: readonly (readonly Sample[])[], lossScale: number): Promise<UpdateGradient>;
  /** Loss and more over some samples, without learning; one sample or more. */
  measure(samples: readonly Sample[]): Promise<Measures & { readonly loss: number }>;
}
