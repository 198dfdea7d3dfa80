/** What was said and done in an episode so far: the first observation, then commands with their observations. */
export interface Turn {
  readonly command: string;
  readonly observation: string;
}

export interface History {
  /** the first observation, as the world gives it */
  readonly initial: string;
  readonly turns: readonly Turn[];
}
