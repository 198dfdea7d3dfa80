/**
 * The numbers of one phase of training: behaviour cloning (`bc`) or direct preference optimization (`dpo`).
 * Which of them a paper, the published code or a trial found is told in `presets.ts`.
 */
import type { PreferenceOptions } from '@emac/core';
import type { LossScaling } from './loss-scale.ts';
import type { AdamWOptions } from './optimizer.ts';
import type { ScheduleSettings } from './schedule.ts';
import type { StepSelection } from './select-steps.ts';

export type Phase = 'bc' | 'dpo';

export interface TrainingSettings extends ScheduleSettings, AdamWOptions, Required<PreferenceOptions> {
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
  /** null for none; of use where gradients are computed in half precision */
  readonly lossScaling: LossScaling | null;
  /** a transition may come twice in one micro-batch */
  readonly replacement: boolean;
  /** whose command the world gets: the student's, the expert's, or the expert's by chance */
  readonly actWith: 'student' | 'expert' | 'mixture';
  /** with `mixture` the expert acts with probability P·Dʳ in round r: P … */
  readonly expertProbability: number;
  /** … and D */
  readonly expertDecay: number;
  /** the student is kept to the commands which the world accepts */
  readonly admissibleOnly: boolean;
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
