/**
 * The contract of environments. It is asynchronous, as an environment may be remote. There are no slot numbers: an
 * episode is an object, and any number of them may run at once. An action is a command in words; a robot's numbers are
 * separated by blanks.
 */
import type { Fact } from './fact.ts';
import type { Observation } from './observation.ts';
import type { Answer } from './policy.ts';

/** A task, such as one ALFWorld game or one MiniGrid seed; it can be attempted repeatedly. */
export interface Task {
  /** unique in its environment; key of state, logs and seeds */
  readonly id: string;
  /** the kind of task by which results are grouped; null if the environment has none */
  readonly type: string | null;
}

/** Further facts about a step. Facts that agents must not see are under `private`. */
export interface Info {
  /** the goal is reached; false where the environment has no goal */
  readonly won: boolean;
  readonly [fact: string]: Fact;
}

/** The result of one action. */
export interface Step {
  readonly observation: Observation;
  /** for the agent that acted */
  readonly reward: number;
  /** the task ended by itself, good or bad: nothing follows */
  readonly terminated: boolean;
  /** cut off by a step or time limit: the task would have continued */
  readonly truncated: boolean;
  readonly info: Info;
}

/** One started attempt at one task. */
export interface Episode {
  readonly task: Task;
  /** the observation before the first action */
  readonly first: Observation;
  /** Acts; `answer` is the policy's whole one, if it named the action. After the end it returns the last step again, unchanged. */
  step(action: string, answer?: Answer | null): Promise<Step>;
  /** Leaves the episode, finished or not, and frees its resources. */
  close(): Promise<void>;
}

export interface Environment {
  /** the tasks, in a fixed order; the list grows if tasks are only known on arrival */
  readonly tasks: readonly Task[];
  /** present for a remote environment whose client decides the next task */
  readonly arrivals?: Arrivals;
  /**
   * Starts an attempt. Equal task, seed and actions give equal steps; a deterministic environment ignores the seed.
   * Errors: `internal` for a foreign task; here and in `step`, `LostEpisode` if the environment fails.
   */
  begin(task: Task, seed: string): Promise<Episode>;
}

/** Tasks that arrive one by one, in a client's order. */
export interface Arrivals {
  /** tasks per round */
  readonly count: number;
  /**
   * Waits for a wanted task and returns its index in `tasks`; begin this task next. Unwanted tasks are rejected. Returns
   * null when the client offers a task it already offered: it has no others.
   */
  next(isWanted: (task: Task) => boolean): Promise<number | null>;
}
