/**
 * The numbers of one phase of training: behaviour cloning (`bc`) or direct preference optimization (`dpo`).
 * Which of them a paper, the published code or a trial found is told in `presets.ts`.
 */
import type { AdamWOptions } from './optimizer.ts';
import type { ScheduleSettings } from './schedule.ts';
import type { StepSelection } from './select-steps.ts';

export type Phase = 'bc' | 'dpo';

export interface TrainingSettings extends ScheduleSettings, AdamWOptions {
  readonly gamesPerRound: number;
  /** commands after which an episode is given up */
  readonly maxSteps: number;
  /** samples of one micro-step */
  readonly batchSize: number;
  /** micro-steps of one optimizer update */
  readonly accumulate: number;
  readonly updatesPerEpisode: number;
  /** limit of the joint gradient norm; null for none */
  readonly clipNorm: number | null;
  /** β of DPO */
  readonly beta: number;
  /** weight of −log π(chosen) beside the DPO loss */
  readonly mixRatio: number;
  /** whose command the world gets: the student's, the expert's, or the expert's with probability mixture^round */
  readonly actWith: 'student' | 'expert' | 'mixture';
  readonly mixture: number;
  /** after which episodes steps are stored and updates made */
  readonly trainAfter: 'every-episode' | 'failed-episodes';
  readonly skipSolved: boolean;
  /** ends an episode whose newest command equals the one before, or whose newest four are A B A B */
  readonly stopRepeating: boolean;
  readonly selection: StepSelection;
  /** what becomes of a step where the student already said what the expert says, in preference training */
  readonly agreed: AgreedPairs;
  /** also imitate the student's own command where the expert's label is unusable, as the published code does */
  readonly trainOnUnusable: boolean;
}

/**
 * `drop`: no pair. `keep`: a pair of equal commands, as published; only the mix term has a gradient.
 * `random`: the rejected command is drawn from the other admissible ones.
 */
export type AgreedPairs = 'drop' | 'keep' | 'random';
