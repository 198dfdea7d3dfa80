/**
 * What an environment offers to those who act in it. Asynchronous because it may be remote; a local one is synchronous
 * behind an adapter. Nothing has a slot number: an episode is an object of its own, and any number of them may be under
 * way at once. `Action` is a command in words unless an environment takes something else, such as joint velocities.
 */
import type { Observation } from './observation.ts';

/** Something to attempt, any number of times: an ALFWorld game, a level of MiniGrid with its seed. */
export interface Task {
  /** unique in its environment; state, logs and seeds are keyed by it */
  readonly id: string;
  /** the kind of task that results are grouped by; null where the environment does not tell */
  readonly type: string | null;
}

/** What JSON can hold. */
export type Fact = string | number | boolean | null | readonly Fact[] | { readonly [name: string]: Fact };

/** What else is known of a step. What those who act must not see is under `private`. */
export interface Info {
  /** the goal is reached; false where the environment has no goal */
  readonly won: boolean;
  readonly [fact: string]: Fact;
}

/** What one action brought. */
export interface Step {
  readonly observation: Observation;
  /** to the agent that acted */
  readonly reward: number;
  /** the task has come to an end of its own, good or bad: nothing follows */
  readonly terminated: boolean;
  /** cut off from outside, by a limit of steps or of time: something would have followed */
  readonly truncated: boolean;
  readonly info: Info;
}

/** One attempt at one task, begun. */
export interface Episode<Action = string> {
  readonly task: Task;
  /** what is seen before the first action */
  readonly first: Observation;
  /** Acts. After the end the last step comes again unchanged. */
  step(action: Action): Promise<Step>;
  /** Leaves the episode, finished or not, and frees what it holds. */
  close(): Promise<void>;
}

export interface Environment<Action = string> {
  /** what can be attempted, in a fixed order; it grows where tasks are not known before they come */
  readonly tasks: readonly Task[];
  /** there where the environment is remote and only its client knows which task comes next */
  readonly arrivals?: Arrivals;
  /**
   * Begins an attempt. Equal task, seed and actions give equal steps; an environment without chance ignores the seed.
   * Errors: `internal` for a task that is not its own; in it and in `step` `LostEpisode` where the environment fails.
   */
  begin(task: Task, seed: string): Promise<Episode<Action>>;
}

/** Tasks that come one at a time, in an order that somebody else decides. */
export interface Arrivals {
  /** how many make a round */
  readonly count: number;
  /**
   * Waits for a task that is wanted and says its place in `tasks`; it is the one to begin next. Others are turned away. Null
   * where one that was turned away comes again: whoever brings them has no other.
   */
  next(isWanted: (task: Task) => boolean): Promise<number | null>;
}
