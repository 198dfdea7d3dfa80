/** What is shown of a run, of an evaluation, or of several runs; plain data, read from a folder (`read-run.ts`) or made by a program. */
import type { DatasetResult, EvaluationResult } from '@emac/rollout';
import type { Series } from './series.ts';

export interface RunView {
  /** the folder's name */
  readonly name: string;
  /** `running`, `interrupted`, `killed`, `done`, `failed`; null for an evaluation */
  readonly status: string | null;
  /** what the settings were, as `config.yaml` has them; null where there is none */
  readonly config: string | null;
  /** the command that began it; null where nobody wrote it down */
  readonly command: string | null;
  readonly series: readonly Series[];
  readonly evaluations: readonly EvaluationView[];
  /** of an evaluation on a dataset; null for games */
  readonly answers: DatasetResult | null;
  /** in the order in which they were played */
  readonly episodes: readonly EpisodeHead[];
}

export interface EvaluationView {
  /** `before`, `after`, or what was evaluated */
  readonly name: string;
  readonly result: EvaluationResult;
}

/** An episode as a list shows it. */
export interface EpisodeHead {
  /** number in the run, which is its file's name */
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
  /** step at which policy and expert first part, from 0; null where they never do or nobody labels */
  readonly parts: number | null;
  /** what earlier failures at the same task taught */
  readonly memories: readonly string[];
}

export interface StepView {
  /** what the environment got */
  readonly command: string;
  /** what the policy said; null where it was not asked or said nothing usable */
  readonly own: string | null;
  /** what the expert said; null where nobody was asked or the reply was unusable */
  readonly label: string | null;
  /** why there is no label */
  readonly reason: string | null;
  readonly thoughts: readonly string[];
  /** what the environment answered */
  readonly observation: string;
  /** pictures after the command */
  readonly frames: readonly string[];
}
