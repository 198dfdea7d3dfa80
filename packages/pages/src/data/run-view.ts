/** What is shown of a run, an evaluation, a comparison or a sweep: plain data, from its folder or made by a program. */
import type { DatasetResult, EvaluationResult } from '@emac/rollout';
import type { AttemptView } from './attempt-view.ts';
import type { RunRow } from './run-row.ts';
import type { Series } from './series.ts';

/** A run by itself: what stands in the list of runs, and the rest of its folder. */
export interface RunView extends Pick<
  RunRow,
  | 'name'
  | 'title'
  | 'note'
  | 'method'
  | 'environment'
  | 'policy'
  | 'state'
  | 'started'
  | 'seconds'
  | 'changed'
  | 'settings'
> {
  /** what was trained and how it went, in sentences */
  readonly words: readonly string[];
  /** the settings, as in `config.yaml`; null without any */
  readonly config: string | null;
  /** the command that started it; null if unknown */
  readonly command: string | null;
  readonly series: readonly Series[];
  readonly evaluations: readonly EvaluationView[];
  /** of an evaluation on a dataset; null for games */
  readonly answers: DatasetResult | null;
  /** in the order played */
  readonly episodes: readonly EpisodeHead[];
  /** the newest recorded attempts of a group method, oldest first */
  readonly attempts: readonly AttemptView[];
}

export interface EvaluationView {
  /** `before`, `after`, or `result` of an evaluation by itself */
  readonly name: string;
  readonly result: EvaluationResult;
}

/** An episode as a list shows it. */
export interface EpisodeHead {
  /** number in the run, also its file's name */
  readonly episode: number;
  /** null in an evaluation */
  readonly round: number | null;
  readonly taskId: string;
  readonly taskType: string | null;
  readonly won: boolean;
  /** the environment was left as wanted, but not by the policy's own commands */
  readonly expertWon: boolean;
  readonly steps: number;
}

/** An episode, step by step. */
export interface EpisodeView extends EpisodeHead {
  readonly task: string;
  /** the first observation */
  readonly observation: string;
  /** names of pictures in the run's `frames` */
  readonly frames: readonly string[];
  readonly shown: readonly StepView[];
  /** first step where policy and expert differ, from 0; null if they never do, or without labels */
  readonly parts: number | null;
  /** the lessons from earlier failures at the same task */
  readonly memories: readonly string[];
}

export interface StepView {
  /** the environment's action */
  readonly command: string;
  /** the policy's command; null if it was not asked or its answer was unusable */
  readonly own: string | null;
  /** the expert's command; null if it was not asked or its reply was unusable */
  readonly label: string | null;
  /** why the label is missing */
  readonly reason: string | null;
  /** the environment's; null if it was not recorded */
  readonly reward: number | null;
  readonly thoughts: readonly string[];
  /** the environment's reply */
  readonly observation: string;
  /** pictures after the command */
  readonly frames: readonly string[];
}
