/**
 * The numbers of one phase of training, in the groups
 * that read them. Which of them a paper, the published code or a trial found is told in `presets.ts`.
 */
import type { PreferenceOptions } from '@emac/losses';
import type { AdamWOptions, LossScaling, ScheduleKind } from '@emac/optim';
import type { ExpertShare } from '@emac/rollout';
import type { StepSelection } from './methods/select-steps.ts';

/** How episodes are played. */
export interface PlaySettings {
  /** passes over the tasks */
  readonly rounds: number;
  /** tasks of a run, the same in every round */
  readonly gamesPerRound: number;
  /** episodes that one version of the policy plays before it learns */
  readonly episodesPerUpdate: number;
  /** commands after which an episode is given up */
  readonly maxSteps: number;
  /** whose command the environment gets: DAgger's β */
  readonly expertShare: ExpertShare;
  /** the policy is kept to the commands which the environment accepts */
  readonly admissibleOnly: boolean;
  /** what the policy won is left out of later rounds */
  readonly skipSolved: boolean;
  /** ends an episode whose newest command equals the one before, or whose newest four are A B A B */
  readonly stopRepeating: boolean;
}

/** Which labelled steps are learned from. */
export interface SampleSettings {
  /** after which episodes steps are stored and updates made */
  readonly trainAfter: 'every-episode' | 'failed-episodes';
  readonly selection: StepSelection;
  /** what becomes of a step where the policy already said what the expert says, in preference training */
  readonly agreed: AgreedPairs;
  /** also imitate the policy's own command where the expert's label is unusable, as the published code does */
  readonly trainOnUnusable: boolean;
}

/** How updates are made from samples. */
export interface OptimizationSettings extends AdamWOptions {
  readonly updatesPerEpisode: number;
  /** samples of one micro-step */
  readonly batchSize: number;
  /** micro-steps of one optimizer update */
  readonly accumulate: number;
  /** a sample may come twice in one micro-batch */
  readonly replacement: boolean;
  readonly schedule: ScheduleKind;
  readonly learningRate: number;
  /** micro-steps from `warmupStart` to `learningRate`; 0 for none */
  readonly warmup: number;
  readonly warmupStart: number;
  readonly minimum: number;
  /** limit of the joint gradient norm; null for none */
  readonly clipNorm: number | null;
  /** null for none; of use where gradients are computed in half precision */
  readonly lossScaling: LossScaling | null;
}

export interface TrainingSettings {
  readonly play: PlaySettings;
  readonly samples: SampleSettings;
  readonly optimization: OptimizationSettings;
  /** of preference training */
  readonly preference: Required<PreferenceOptions>;
}

/**
 * `drop`: no pair. `keep`: a pair of equal commands, as published; only the mix term has a gradient.
 * `random`: the rejected command is drawn from the other admissible ones.
 */
export type AgreedPairs = 'drop' | 'keep' | 'random';
