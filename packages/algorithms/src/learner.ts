/** What the training loop asks of either way to learn: store an episode, give one update's gradient, measure itself. */
import type { Random } from '@emac/core';
import type { Draw } from './micro-batches.ts';
import type { LabelledStep } from './select-steps.ts';

/** Named measures of a metrics line; null where nothing could be measured. */
export type Measures = Readonly<Record<string, number | null>>;

export interface UpdateGradient {
  readonly gradients: ReadonlyMap<string, Float32Array>;
  readonly measures: Measures & { readonly loss: number };
}

export interface Learner {
  /** transitions in the buffer now, of all rounds */
  length(): number;
  /** transitions ever stored */
  appended(): number;
  /** stores what the steps of one episode teach; returns how many transitions that were */
  store(steps: readonly LabelledStep[], random: Random): Promise<number>;
  /** the gradient of one optimizer update over samples drawn from the whole buffer */
  gradient(draw: Draw): Promise<UpdateGradient>;
  /** loss and more on a fixed set of expert steps; null without one */
  probe(): Promise<Measures | null>;
}
