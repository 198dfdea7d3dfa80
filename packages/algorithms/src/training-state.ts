/**
 * Where a run stands, as plain JSON. With the parameters, the optimizer's moments and the buffer it is all that
 * is needed to go on: every random draw comes from a stream that is named by its place in the run, so that there is
 * no generator state to keep.
 */
import { EmacError, type History, type TaskType } from '@emac/core';
import type { LossScale } from './loss-scale.ts';
import type { OptimizerState } from './optimizer.ts';
import type { LabelledStep } from './select-steps.ts';
import type { Phase } from './settings.ts';

/** A failed attempt, as it is reflected on at the end of its round. */
export interface FailedEpisode {
  readonly gameId: string;
  readonly taskType: TaskType | null;
  readonly round: number;
  readonly history: History;
  /** what the expert would have done at each turn; null where its reply was unusable */
  readonly expertCommands: readonly (string | null)[];
}

/** A step as it is kept: what the student read and saw comes back when the world gets the same commands again. */
export type StoredStep = Pick<
  LabelledStep,
  'own' | 'label' | 'reason' | 'thoughts' | 'command' | 'observation'
>;

/** An episode under way; in checkpoints that an interruption made. */
export interface EpisodeUnderWay {
  readonly steps: StoredStep[];
  /** updates that are still to be made after it; null while it is played */
  updatesLeft: number | null;
}

export interface TrainingState {
  readonly v: 1;
  readonly phase: Phase;
  /** seed and stream names of the run's generator */
  readonly randomPath: string;
  round: number;
  /** games of this round's list that are done, skipped ones included */
  gamesDone: number;
  /** null between episodes */
  current: EpisodeUnderWay | null;
  /** episodes finished in the run */
  episodes: number;
  worldSteps: number;
  updates: number;
  microSteps: number;
  /** of the next update; null where losses are not scaled, or before the first update */
  lossScale: LossScale | null;
  /** transitions ever stored; a buffer that got more is cut back to this before going on */
  appended: number;
  readonly solved: string[];
  /** lessons by game id, oldest first */
  readonly memories: [gameId: string, lessons: readonly string[]][];
  /** of this round */
  failures: FailedEpisode[];
  tally: RoundTally;
}

/** What a round's metrics line tells. */
export interface RoundTally {
  played: number;
  won: number;
  /** steps of won episodes, and the step limit for failed ones */
  steps: number;
  labelled: number;
  unusable: number;
  /** labelled steps where the student said what the expert said */
  agreed: number;
}

/** A place to go on from. Arrays are live: store them before the callback that got this returns. */
export interface TrainingCheckpoint {
  readonly state: TrainingState;
  readonly optimizer: OptimizerState;
}

/** A checkpoint as it is handed out. */
export interface StoredCheckpoint extends TrainingCheckpoint {
  /** made because training stops here; a run that is not disturbed has none at this moment */
  readonly isExtra: boolean;
}

/** The state before the first episode; `memories` are lessons from an earlier phase. */
export function initialState(
  phase: Phase,
  randomPath: string,
  memories: TrainingState['memories'] = [],
): TrainingState {
  const counters = {
    round: 0,
    gamesDone: 0,
    episodes: 0,
    worldSteps: 0,
    updates: 0,
    microSteps: 0,
    lossScale: null,
  };
  return {
    ...{ v: 1, phase, randomPath, ...counters, current: null, appended: 0 },
    ...{ solved: [], memories: structuredClone(memories), failures: [], tally: emptyTally() },
  };
}

export function emptyTally(): RoundTally {
  return { played: 0, won: 0, steps: 0, labelled: 0, unusable: 0, agreed: 0 };
}

/** World steps plus updates: what names a checkpoint. */
export function progressOf({ worldSteps, updates }: TrainingState): number {
  return worldSteps + updates;
}

/** A copy to go on from; throws `data` when it belongs to another phase or seed, or lacks something. */
export function resumedState(state: TrainingState, phase: Phase, randomPath: string): TrainingState {
  for (const field of Object.keys(initialState(phase, randomPath)))
    if (!(field in state)) throw new EmacError('data', `training state: has no ${field}`);
  if (state.v !== 1 || state.phase !== phase || state.randomPath !== randomPath)
    throw new EmacError(
      'data',
      `training state: is v${state.v} ${state.phase} of "${state.randomPath}", the run is v1 ${phase} of "${randomPath}"`,
    );
  return structuredClone(state);
}

export function lessonsOf(state: TrainingState, gameId: string): readonly string[] {
  return state.memories.find(([id]) => id === gameId)?.[1] ?? [];
}

/** Lists that were handed out before stay as they were. */
export function addLesson(state: TrainingState, gameId: string, lesson: string): void {
  const place = state.memories.findIndex(([id]) => id === gameId);
  if (place < 0) state.memories.push([gameId, [lesson]]);
  else state.memories[place] = [gameId, [...state.memories[place]![1], lesson]];
}

/** Counts a played episode into its round: tally, solved games, failures. */
export function countEpisode(
  state: TrainingState,
  played: Omit<FailedEpisode, 'round' | 'expertCommands'> & {
    readonly won: boolean;
    readonly steps: readonly { readonly label: string | null; readonly own: string }[];
    readonly maxSteps: number;
  },
): void {
  const { gameId, taskType, history, won, steps, maxSteps } = played;
  const { tally } = state;
  tally.played++;
  tally.won += won ? 1 : 0;
  tally.steps += won ? steps.length : maxSteps;
  for (const { label, own } of steps) {
    tally[label === null ? 'unusable' : 'labelled']++;
    if (label === own) tally.agreed++;
  }
  const expertCommands = steps.map(({ label }) => label);
  if (!won) state.failures.push({ gameId, taskType, round: state.round, history, expertCommands });
  else if (!state.solved.includes(gameId)) state.solved.push(gameId);
}
