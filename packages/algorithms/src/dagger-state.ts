/**
 * Where a run stands, as plain JSON. With the parameters, the optimizer's moments and the buffer it is all that
 * is needed to go on: every random draw comes from a stream that is named by its place in the run, so that there is
 * no generator state to keep.
 */
import { EmacError, type History } from '@emac/core';
import type { LossScale, OptimizerState } from '@emac/optim';
import type { MadeStep } from '@emac/rollout';
import type { Phase } from './methods/list.ts';

/** A failed attempt, as it is reflected on at the end of its round. */
export interface FailedEpisode {
  readonly taskId: string;
  readonly taskType: string | null;
  readonly round: number;
  readonly history: History;
  /** what the expert would have done at each turn; null where its reply was unusable */
  readonly expertCommands: readonly (string | null)[];
}

/** Episodes that one version of the policy plays; in checkpoints only where an interruption made them. */
export interface Group {
  /** the steps that each episode has so far */
  readonly steps: MadeStep[][];
  /** which of the episodes are learned from; null while they are played */
  learning: readonly number[] | null;
  /** updates that were made after them */
  updates: number;
}

export interface DaggerState {
  readonly v: 2;
  readonly kind: 'dagger';
  readonly phase: Phase;
  /** seed and stream names of the run's generator */
  readonly randomPath: string;
  round: number;
  /** places of the tasks that this round plays; null before it begins */
  playing: readonly number[] | null;
  /** how many of those are done */
  done: number;
  /** null between groups */
  current: Group | null;
  /** episodes finished in the run */
  episodes: number;
  /** steps of finished episodes */
  worldSteps: number;
  updates: number;
  microSteps: number;
  /** of the next update; null where losses are not scaled, or before the first update */
  lossScale: LossScale | null;
  /** samples ever stored; a buffer that got more is cut back to this before going on */
  appended: number;
  /** labels of finished episodes, usable ones and others, and the newest reason for one of the latter */
  labels: { usable: number; unusable: number; reason: string | null };
  readonly solved: string[];
  /** lessons by task id, oldest first */
  readonly memories: [taskId: string, lessons: readonly string[]][];
  /** of this round */
  failures: FailedEpisode[];
  tally: RoundTally;
  /** where somebody chooses what rounds play: what decides it */
  choice?: unknown;
}

/** What a round's metrics line tells. */
export interface RoundTally {
  played: number;
  /** by the policy's own commands */
  won: number;
  /** won with commands of the expert */
  expertWon: number;
  /** steps of episodes that the policy won, and the step limit for the others */
  steps: number;
  labelled: number;
  unusable: number;
  /** labelled steps where the policy said what the expert said */
  agreed: number;
  /** episodes that the environment lost, which are in none of the other numbers; absent where none was */
  lost?: number;
}

/** A place to go on from. Arrays are live: store them before the callback that got this returns. */
export interface DaggerCheckpoint {
  readonly state: DaggerState;
  readonly optimizer: OptimizerState;
}

/** A checkpoint as it is handed out. */
export interface StoredCheckpoint extends DaggerCheckpoint {
  /** made because training stops here; a run that is not disturbed has none at this moment */
  readonly isExtra: boolean;
}

/** The state before the first episode; `memories` are lessons from an earlier phase. */
export function initialState(
  phase: Phase,
  randomPath: string,
  memories: DaggerState['memories'] = [],
): DaggerState {
  return {
    v: 2,
    kind: 'dagger',
    phase,
    randomPath,
    round: 0,
    playing: null,
    done: 0,
    current: null,
    episodes: 0,
    worldSteps: 0,
    updates: 0,
    microSteps: 0,
    lossScale: null,
    appended: 0,
    labels: { usable: 0, unusable: 0, reason: null },
    solved: [],
    memories: structuredClone(memories),
    failures: [],
    tally: emptyTally(),
  };
}

export function emptyTally(): RoundTally {
  return { played: 0, won: 0, expertWon: 0, steps: 0, labelled: 0, unusable: 0, agreed: 0 };
}

/** World steps plus updates: what names a checkpoint. */
export function progressOf({ worldSteps, updates, current }: DaggerState): number {
  const underWay = current?.learning === null ? current.steps.flat().length : 0;
  return worldSteps + underWay + updates;
}

/** A copy to go on from; throws `data` when it belongs to another phase or seed, or lacks something. */
export function resumedState(state: DaggerState, phase: Phase, randomPath: string): DaggerState {
  if ((state.v as number) !== 2)
    throw new EmacError(
      'data',
      `training state: is of version ${state.v}, this version of emac goes on with version 2; evaluate that run, or begin a new one`,
    );
  for (const field of Object.keys(initialState(phase, randomPath)))
    if (!(field in state)) throw new EmacError('data', `training state: has no ${field}`);
  if (state.phase !== phase || state.randomPath !== randomPath)
    throw new EmacError(
      'data',
      `training state: is ${state.phase} of "${state.randomPath}", the run is ${phase} of "${randomPath}"`,
    );
  return structuredClone(state);
}

export function lessonsOf(state: DaggerState, taskId: string): readonly string[] {
  return state.memories.find(([id]) => id === taskId)?.[1] ?? [];
}

/** Lists that were handed out before stay as they were. */
export function addLesson(state: DaggerState, taskId: string, lesson: string): void {
  const place = state.memories.findIndex(([id]) => id === taskId);
  if (place < 0) state.memories.push([taskId, [lesson]]);
  else state.memories[place] = [taskId, [...state.memories[place]![1], lesson]];
}
