/** The parts of a DAgger run, and its changing state. */
import type { Environment, Expert, Policy, Random, Sampling, Speech, Task, Trainable } from '@emac/core';
import type { Optimizer } from '@emac/optim';
import type { Elsewhere } from '@emac/rollout';
import type { DaggerCheckpoint, DaggerState, FailedEpisode, StoredCheckpoint } from './dagger-state.ts';
import type { Learner } from './methods/method.ts';
import type { MetricsLine, ProgressEvent } from './progress.ts';
import type { TrainingSettings } from './label-settings.ts';
import type { Phase } from './methods/list.ts';

/**
 * Chooses the tasks of a round, if not all are played; for example a curriculum. Its state holds everything its choices
 * depend on.
 */
export interface TaskChoice {
  /** tasks that a round plays, none of them twice */
  readonly perRound: number;
  /** The index of the next task to play, among those not played in this round. */
  pick(tasks: readonly Task[], random: Random): number;
  /** Called after an episode that was not lost; `won` counts the policy's own commands. */
  ended(task: Task, won: boolean): void;
  /** for the round's line */
  measures(): Readonly<Record<string, number>>;
  /** plain JSON */
  state(): unknown;
  /** Errors: `data` for the state of another. */
  restore(state: unknown): void;
}

export interface DaggerRun {
  readonly phase: Phase;
  readonly settings: TrainingSettings;
  readonly policy: Policy & Pick<Trainable, 'groups' | 'commit'>;
  /** how the policy's commands are chosen */
  readonly sampling: Sampling;
  readonly expert: Expert;
  readonly learner: Learner;
  readonly texts: Speech;
  /** its tasks are the run's list, played in every round */
  readonly environment: Environment;
  /** absent: all tasks; not for tasks whose order a client decides */
  readonly choice?: TaskChoice;
  readonly random: Random;
  /** episodes under way at once, at most; changes nothing but the speed */
  readonly parallel: number;
  /** lessons from failed attempts are also shown to the policy; default false */
  readonly policyMemory?: boolean;
  readonly metrics: (line: MetricsLine) => void | Promise<void>;
  readonly report?: (event: ProgressEvent) => void | Promise<void>;
  /** a lesson from a failed attempt, or null for none */
  readonly reflect?: (
    failure: FailedEpisode & { readonly lessons: readonly string[] },
  ) => Promise<string | null>;
  /** called before the first episode, between groups of episodes, after every round, and when training stops */
  readonly checkpoint?: (checkpoint: StoredCheckpoint) => void | Promise<void>;
  /** where to resume; the policy's parameters and the buffer must be of the same moment */
  readonly resume?: DaggerCheckpoint;
  /** lessons to begin with, by task id */
  readonly memories?: DaggerState['memories'];
  readonly signal?: AbortSignal;
  /** plays the episodes in other processes; changes only the speed */
  readonly elsewhere?: Elsewhere | undefined;
}

/** A run with its changing state. */
export interface Running extends DaggerRun {
  readonly state: DaggerState;
  readonly optimizer: Optimizer;
  /** progress of the last checkpoint */
  saved: number;
}

/** Named by its place in the run, so a resumed run draws the same numbers. */
export function streamOf(
  { random, state }: Pick<Running, 'random' | 'state'>,
  name: string,
  taskId: string,
): Random {
  return random.stream(name).stream(state.round).stream(taskId);
}
