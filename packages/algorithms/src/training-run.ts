/** What a run of training is made of, and what it changes as it goes. */
import { EmacError, type Expert, type Random, type Student, type WorldSource } from '@emac/core';
import type { Learner } from './learner.ts';
import type { Optimizer } from './optimizer.ts';
import type { MetricsLine, ProgressEvent } from './progress.ts';
import type { Phase, TrainingSettings } from './settings.ts';
import type { PolicyTexts } from './texts.ts';
import type { FailedEpisode, StoredCheckpoint, TrainingCheckpoint, TrainingState } from './training-state.ts';

export interface TrainingRun {
  readonly phase: Phase;
  readonly settings: TrainingSettings;
  readonly student: Student;
  readonly expert: Expert;
  readonly learner: Learner;
  readonly texts: PolicyTexts;
  /** a fresh pass over the run's fixed list of games; called once for each round */
  readonly world: () => WorldSource;
  readonly random: Random;
  /** lessons from failed attempts are also shown to the student */
  readonly studentMemory?: boolean;
  readonly metrics: (line: MetricsLine) => void | Promise<void>;
  readonly report?: (event: ProgressEvent) => void | Promise<void>;
  /** a lesson from a failed attempt, or null for none */
  readonly reflect?: (
    failure: FailedEpisode & { readonly lessons: readonly string[] },
  ) => Promise<string | null>;
  /** games in a pass of `world`, for the plan of learning rates; `settings.gamesPerRound` where nothing is said */
  readonly gamesInPass?: number;
  /** called before the first episode, before every later one of a round, after every round, and where training stops */
  readonly checkpoint?: (checkpoint: StoredCheckpoint) => void | Promise<void>;
  /** where to go on; student parameters and buffer must be those of the same moment */
  readonly resume?: TrainingCheckpoint;
  /** lessons to begin with, by game id */
  readonly memories?: TrainingState['memories'];
  readonly signal?: AbortSignal;
}

/** A run with what it changes as it goes. */
export interface Running extends TrainingRun {
  readonly state: TrainingState;
  readonly optimizer: Optimizer;
  /** progress of the last checkpoint */
  saved: number;
}

/** What acting takes of a run. */
export type Acting = Pick<
  Running,
  'state' | 'settings' | 'student' | 'expert' | 'texts' | 'random' | 'studentMemory' | 'report' | 'signal'
>;

/** Named by its place in the run, so that going on after an interruption draws the same numbers. */
export function streamOf(
  { random, state }: Pick<Running, 'random' | 'state'>,
  name: string,
  gameId: string,
): Random {
  return random.stream(name).stream(state.round).stream(gameId);
}

/** Throws `interrupted` once the signal has fired. */
export function stopIfAsked({ signal }: Pick<Running, 'signal'>): void {
  if (signal?.aborted)
    throw new EmacError('interrupted', 'training: stopped on request, go on from the last checkpoint');
}
