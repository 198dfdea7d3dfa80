/** Progress of training: metrics lines, equal for equal seeds, and events for people and logs. */
import type { Frame, Trajectory } from '@emac/core';
import type { Measures } from '@emac/optim';
import type { Phase } from './methods/list.ts';

/** One line of `metrics.jsonl`: no clock, path or process in it. Rounds, episodes and updates count from 0. */
export interface MetricsLine {
  readonly v: 1;
  readonly kind: 'update' | 'probe' | 'round';
  readonly phase: Phase;
  readonly round: number;
  readonly [field: string]: string | number | null;
}

/**
 * A micro-step of an update: its learning rate, and the loss and more of its micro-batch, as the published log prints
 * them. `metrics.jsonl` has their means alone.
 */
export interface MicroStep {
  readonly lr: number;
  readonly measures: Measures;
}

/** The place of an episode. */
export interface EpisodeOf {
  readonly round: number;
  /** number of the episode in the run */
  readonly episode: number;
  /** the task's place in the run's list */
  readonly place: number;
  readonly taskId: string;
}

/** Events of concurrent episodes interleave; each names its episode. */
export type ProgressEvent =
  | ({
      readonly kind: 'episode-start';
      readonly taskType: string | null;
      readonly observation: string;
      readonly frames: readonly Frame[];
    } & EpisodeOf)
  | {
      readonly kind: 'episode-skipped';
      readonly round: number;
      readonly place: number;
      readonly taskId: string;
    }
  | ({
      readonly kind: 'step';
      /** place in the episode */
      readonly index: number;
      /** the policy's command */
      readonly own: string | null;
      /** the expert's; null for an unusable reply, with its `reason` */
      readonly label: string | null;
      readonly reason?: string;
      /** the expert's thoughts before its label */
      readonly thoughts?: readonly string[];
      /** the environment's action, and its reply */
      readonly command: string;
      readonly observation: string;
      readonly frames: readonly Frame[];
    } & EpisodeOf)
  | ({
      /** in the order of the episodes, when all that were under way together are over */
      readonly kind: 'episode-end';
      /** by the policy's own commands */
      readonly won: boolean;
      /** won, though not by the policy's own commands alone */
      readonly expertWon: boolean;
      readonly steps: number;
      /** ended because it went in circles */
      readonly repeated: boolean;
      /** why the environment lost it; absent if not lost */
      readonly fault?: string;
      /** samples that were stored */
      readonly stored: number;
      readonly trajectory: Trajectory;
    } & EpisodeOf)
  | { readonly kind: 'update'; readonly line: MetricsLine; readonly microSteps: readonly MicroStep[] }
  | { readonly kind: 'probe'; readonly line: MetricsLine }
  | { readonly kind: 'reflecting'; readonly round: number; readonly taskId: string }
  | {
      readonly kind: 'reflection-failed';
      readonly round: number;
      readonly taskId: string;
      readonly reason: string;
    }
  | { readonly kind: 'lesson'; readonly round: number; readonly taskId: string; readonly lesson: string }
  | { readonly kind: 'round-end'; readonly line: MetricsLine };
