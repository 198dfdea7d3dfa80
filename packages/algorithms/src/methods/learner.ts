/**
 * DAgger's interface to a way of learning: store samples of a trajectory, compute one update's gradient, measure. A
 * learner is a method over a replay buffer.
 */
import type { Random, Trajectory } from '@emac/core';
import type { Measures } from '@emac/optim';
import type { MethodGradient } from './method.ts';
import type { Draw } from './micro-batches.ts';

/** A trajectory's place in its run, from 0. */
export interface EpisodePlace {
  readonly round: number;
  readonly episode: number;
}

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
