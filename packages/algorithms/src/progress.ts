/** What a run tells while it works: metrics lines, which are the same for equal seeds, and events for people and logs. */
import type { Frame, History, TaskType } from '@emac/core';
import type { Phase } from './settings.ts';

/** One line of `metrics.jsonl`: no clock, path or process in it. Rounds, episodes and updates count from 0. */
export interface MetricsLine {
  readonly v: 1;
  readonly kind: 'update' | 'probe' | 'round';
  readonly phase: Phase;
  readonly round: number;
  readonly [field: string]: string | number | null;
}

export type ProgressEvent =
  | {
      readonly kind: 'episode-start';
      readonly round: number;
      /** number of the episode in the run */
      readonly episode: number;
      /** the game's place in the run's list */
      readonly place: number;
      readonly gameId: string;
      readonly taskType: TaskType | null;
      readonly observation: string;
      readonly frame?: Frame;
    }
  | {
      readonly kind: 'episode-skipped';
      readonly round: number;
      readonly place: number;
      readonly gameId: string;
    }
  | {
      readonly kind: 'step';
      readonly round: number;
      readonly place: number;
      readonly gameId: string;
      readonly index: number;
      readonly own: string;
      readonly label: string | null;
      readonly reason?: string;
      /** what the expert thought before its label */
      readonly thoughts?: readonly string[];
      readonly command: string;
      readonly observation: string;
      readonly frame?: Frame;
    }
  | {
      readonly kind: 'episode-end';
      readonly round: number;
      readonly episode: number;
      readonly place: number;
      readonly gameId: string;
      readonly won: boolean;
      readonly steps: number;
      /** ended because it went in circles */
      readonly repeated: boolean;
      readonly history: History;
      readonly stored: number;
    }
  | { readonly kind: 'update'; readonly line: MetricsLine }
  | { readonly kind: 'probe'; readonly line: MetricsLine }
  | { readonly kind: 'reflecting'; readonly round: number; readonly gameId: string }
  | {
      readonly kind: 'reflection-failed';
      readonly round: number;
      readonly gameId: string;
      readonly reason: string;
    }
  | { readonly kind: 'lesson'; readonly round: number; readonly gameId: string; readonly lesson: string }
  | { readonly kind: 'round-end'; readonly line: MetricsLine };
