/** The parts of a training run, opened and checked before its folder is made. */
import type { DaggerState, LabelMethod, OfflineState, TrainingSettings } from '@emac/algorithms';
import type { Adapter } from '@emac/backbone';
import type { OpenedKind, ParameterSet, Policy, Random, Sampling, Scorer, Trainable } from '@emac/core';
import type { FittingSets } from '@emac/datasets';
import type { ReplyPosition } from '@emac/expert';
import type { FixedPolicy } from '@emac/model';
import type {
  Closings,
  EpisodePolicy,
  Host,
  LanguagePolicy,
  PolicyForm,
  RunPlay,
  Teacher,
} from '@emac/opening';
import type { CheckpointContent, HeldRun } from '@emac/runs';
import type { TrainConfig } from '@emac/settings';
import type { TrainedSoFar } from '../checkpoint/training-state.ts';
import type { DrawnBefore } from './game-draw.ts';

export interface TrainingPlan {
  readonly policy: EpisodePolicy;
  /** the policy as it learns */
  readonly student: Policy & Trainable;
  readonly form: EpisodePolicy['form'];
  /** dpo: the policy that preferences are measured against; null for methods without one */
  readonly reference: PlannedReference | null;
  /** the policy evaluated "before": the reference if there is one, else the untrained student */
  readonly before: Policy & Scorer;
  /** of what computes it, for the run's record */
  readonly versions: Readonly<Record<string, string>>;
  /** null for a small network */
  readonly language: PlannedModel | null;
  /** of a checkpoint; holds no clock, path or run id */
  content(
    step: number,
    moment: TrainedSoFar<DaggerState | OfflineState>,
    replies: ReplyPosition,
  ): CheckpointContent;
  /** every setting with the value in use */
  readonly config: TrainConfig;
  readonly settings: TrainingSettings;
  /** of the phase, or a program's own */
  readonly method: LabelMethod;
  /** SHA-256 of a program's own method; null for a built-in one */
  readonly methodCode: string | null;
  /** how answers are chosen outside training episodes */
  readonly sampling: Sampling;
  /** and in them */
  readonly acting: Sampling;
  readonly teacher: Teacher;
  /** null for training on games */
  readonly offline: FittingSets | null;
  /** no games for training on a dataset */
  readonly play: RunPlay;
  /** ids of all games trained on as far as they are known, earlier phases included, sorted */
  readonly trainedOn: () => readonly string[];
  /** ids of games that earlier phases won, sorted */
  readonly solvedBefore: readonly string[];
  /** played before and after training; by choice they may be games trained on */
  readonly evaluated: RunPlay;
  readonly kind: OpenedKind;
  /** SHA-256 of a custom module; null for built-in ones */
  readonly environmentCode: string | null;
  readonly random: Random;
  /** episodes under way at once in evaluation and probe */
  readonly parallelEvaluation: number;
  /** and in training, at most */
  readonly parallelTraining: number;
  /** lessons to begin with */
  readonly memories: DaggerState['memories'];
  /** sentences on skipped parts and checks */
  readonly notes: readonly string[];
  /** sentences on dataset records skipped so far */
  readonly leftOutTexts: () => readonly string[];
  readonly dispose: () => Promise<void>;
}

export interface PlannedReference {
  readonly policy: Policy & Scorer;
  /** identifies its parameters; stored with every pair */
  readonly hash: string;
  /** bytes of its parameters */
  readonly bytes: number;
  /** Writes it into the folder of the run, which then no longer needs the original. */
  keep(folder: string, beside: Pick<TrainingPlan, 'trainedOn' | 'solvedBefore'>): void;
}

export interface PlannedModel extends LanguagePolicy {
  /** the student's networks under other parameters; null without one */
  readonly reference: Reference | null;
}

export interface Reference {
  readonly policy: FixedPolicy;
  readonly form: PolicyForm['projection'];
  readonly projection: ParameterSet | null;
  readonly adapter: Adapter | null;
}

/**
 * A resumed run and its resume point, with its own copy of the reference, and its parameters if there is a checkpoint.
 */
export interface Continued extends DrawnBefore, Pick<HeldRun, 'point'> {
  /** the policy's name as typed: checkpoints hold no path of a later call */
  readonly policy: string;
}

export interface Planning {
  readonly host: Host;
  readonly continued: Continued | undefined;
  /** the plan's opened resources */
  readonly open: Closings;
}

export interface Starting extends Planning {
  readonly kind: OpenedKind;
  /** where the policy that preferences are measured against lies; null for methods without one */
  readonly ref: string | null;
  /** where the parameters to continue from lie; null for new ones, or `model` for a model's own */
  readonly from: string | null;
  readonly random: Random;
}

/** A policy opened with all settings in use but those of its games. */
export interface StartedPolicy extends Pick<TrainingPlan, 'config' | 'versions' | 'language' | 'memories'> {
  readonly policy: EpisodePolicy;
  readonly reference: PlannedReference | null;
  /** sentences on skipped checks */
  readonly notes: readonly (string | null)[];
}
