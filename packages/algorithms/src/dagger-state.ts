/**
 * The state of a run, as plain JSON. With parameters, optimizer moments and buffer it is enough to resume. Every random
 * draw has a stream named by its place in the run, so there is no generator state.
 */
import type { History } from '@emac/core';
import type { LossScale, OptimizerState } from '@emac/optim';
import type { MadeStep } from '@emac/rollout';
import type { Phase } from './methods/list.ts';

/** A failed attempt, as it is reflected on at the end of its round. */
export interface FailedEpisode {
  readonly taskId: string;
  readonly taskType: string | null;
  readonly round: number;
  readonly history: History;
  /** the expert's command at each turn; null if its reply was unusable */
  readonly expertCommands: readonly (string | null)[];
}

/** Episodes played with one version of the policy; in checkpoints only after an interruption. */
export interface Group {
  /** the steps that each episode has so far */
  readonly steps: MadeStep[][];
  /** indices of the episodes to learn from; null while they are played */
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
  /** how many of those are finished */
  done: number;
  /** null between groups */
  current: Group | null;
  /** episodes finished in the run */
  episodes: number;
  /** steps of finished episodes */
  worldSteps: number;
  updates: number;
  microSteps: number;
  /** of the next update; null without loss scaling, or before the first update */
  lossScale: LossScale | null;
  /** samples ever stored; on resume, a larger buffer is cut back to this */
  appended: number;
  /** label counts of finished episodes, and the newest reason for an unusable one */
  labels: { usable: number; unusable: number; reason: string | null };
  readonly solved: string[];
  /** lessons by task id, oldest first */
  readonly memories: [taskId: string, lessons: readonly string[]][];
  /** of this round */
  failures: FailedEpisode[];
  tally: RoundTally;
  /** state of the task choice, if there is one */
  choice?: unknown;
}

/** The numbers of a round's metrics line. */
export interface RoundTally {
  played: number;
  /** by the policy's own commands */
  won: number;
  /** won with commands of the expert */
  expertWon: number;
  /** steps of episodes the policy won; the step limit for the others */
  steps: number;
  labelled: number;
  unusable: number;
  /** labelled steps where policy and expert agree */
  agreed: number;
  /** episodes lost by the environment, excluded from all other numbers; absent for none */
  lost?: number;
  /** labels whose command was repaired; absent for none */
  repairs?: number;
}

/** A point to resume from. Arrays are live: store them before the callback that receives it returns. */
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

/** World steps plus updates: the name of a checkpoint. */
export function progressOf({ worldSteps, updates, current }: DaggerState): number {
  const underWay = current?.learning === null ? current.steps.flat().length : 0;
  return worldSteps + underWay + updates;
}

export function lessonsOf(state: DaggerState, taskId: string): readonly string[] {
  return state.memories.find(([id]) => id === taskId)?.[1] ?? [];
}

/** Lists returned earlier are not modified. */
export function addLesson(state: DaggerState, taskId: string, lesson: string): void {
  const place = state.memories.findIndex(([id]) => id === taskId);
  if (place < 0) state.memories.push([taskId, [lesson]]);
  else state.memories[place] = [taskId, [...state.memories[place]![1], lesson]];
}
