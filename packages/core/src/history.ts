/** An episode so far: the first observation, then commands with their observations. */
import type { Observation } from './observation.ts';

export interface Turn {
  readonly command: string;
  readonly observation: string;
}

export interface History {
  /** the first observation, as the environment gives it */
  readonly initial: string;
  readonly turns: readonly Turn[];
}

/** A moment of an episode. */
export interface EpisodeMoment {
  readonly history: History;
  /** the current observation */
  readonly observation: Observation;
}
