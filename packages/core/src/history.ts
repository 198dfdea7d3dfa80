/** What was said and done in an episode so far: the first observation, then commands with their observations. */
import type { Observation } from './observation.ts';

export interface Turn {
  readonly command: string;
  readonly observation: string;
}

export interface History {
  /** the first observation, as the world gives it */
  readonly initial: string;
  readonly turns: readonly Turn[];
}

/** Where an episode stands. */
export interface EpisodeMoment {
  readonly history: History;
  /** what is seen now */
  readonly observation: Observation;
}
