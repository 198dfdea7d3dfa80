/** The settings of one training phase, by group. `presets.ts` names their sources: paper, published code or trial. */
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
  /** step limit of an episode */
  readonly maxSteps: number;
  /** β of DAgger: how often the expert acts */
  readonly expertShare: ExpertShare;
  /** restrict the policy to commands the environment accepts */
  readonly admissibleOnly: boolean;
  /** skip tasks the policy has won in later rounds */
  readonly skipSolved: boolean;
  /** ends an episode once its newest command equals the one before, or its newest four are A B A B */
  readonly stopRepeating: boolean;
}

/** Selects labelled steps for training. */
export interface SampleSettings {
  /** episodes whose steps are stored and followed by updates */
  readonly trainAfter: 'every-episode' | 'failed-episodes';
  readonly selection: StepSelection;
  /** treatment of steps where policy and expert agree, in preference training */
  readonly agreed: AgreedPairs;
  /** also imitate the policy's own command if the expert's label is unusable, as in the published code */
  readonly trainOnUnusable: boolean;
}

/** How updates are made from samples. */
export interface OptimizationSettings extends AdamWOptions {
  /** training ends after so many, also within a round; null or absent: after all rounds */
  readonly updates?: number | null;
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
  /** null for none; useful if gradients are computed in half precision */
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
