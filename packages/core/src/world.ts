/**
 * What a world offers to those who act in it. Asynchronous because a world may be remote; the local world
 * is synchronous behind an adapter. All state is keyed by game id, never by a slot number.
 */
import type { TaskType } from './task.ts';

/** An RGB picture: `data` holds height × width × 3 bytes, row by row from the top left. */
export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** What one command brought. `done` is not `won`: a step limit ends an episode without winning it. */
export interface Step {
  readonly observation: string;
  readonly frame?: Frame;
  /** every command the world would accept now, sorted by code point; absent where the world cannot say */
  readonly admissible?: readonly string[];
  readonly score: number;
  readonly done: boolean;
  readonly won: boolean;
}

/** One attempt at one game, already reset. */
export interface Episode {
  readonly gameId: string;
  readonly taskType: TaskType | null;
  /** the first observation, as the world gives it */
  readonly observation: string;
  readonly frame?: Frame;
  readonly admissible?: readonly string[];
  step(command: string): Promise<Step>;
  /** leaves the episode unfinished */
  skip(): Promise<void>;
}

/** A supply of episodes; null when there are no more. */
export interface WorldSource {
  next(): Promise<Episode | null>;
}
