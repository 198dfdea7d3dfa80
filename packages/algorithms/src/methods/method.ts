/** A method: the gradient of an update over samples, and the loss on samples, whatever their source. A learner is a method over a replay buffer. */
import type { Random, Trajectory } from '@emac/core';
import type { Measures, UpdateGradient } from '@emac/optim';
import type { Draw } from './micro-batches.ts';

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

/** A trajectory's place in its run, from 0. */
export interface EpisodePlace {
  readonly round: number;
  readonly episode: number;
}

/** DAgger's interface to a way of learning. */
export interface Learner {
  /** samples in the buffer now, of all rounds */
  length(): number;
  /** samples ever stored */
  appended(): number;
  /** stores the samples of one episode; returns their number */
  store(trajectory: Trajectory, place: EpisodePlace, random: Random): Promise<number>;
  /** the gradient of one update over samples drawn from the whole buffer */
  gradient(draw: Draw, lossScale: number): Promise<MethodGradient>;
  /** loss and more on a fixed set of expert steps; null without one */
  probe(): Promise<Measures | null>;
}
