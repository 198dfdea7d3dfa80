/** An opened policy for PPO: its networks, its texts, and its stored parts. */
import type { ActionPredictor } from '@emac/algorithms';
import type { ActorCritic, NumberedWorld, OpenedKind, Random } from '@emac/core';
import type { StepTexts } from '@emac/rollout';
import type { Elsewhere } from '../inference/elsewhere.ts';
import type { Computing } from '../models/model.ts';
import type { OpenedPolicy } from '../models/opened-policy.ts';
import type { StepAction } from './robots.ts';

export interface SteppedKind extends OpenedKind {
  /** null: it is played in words */
  readonly numbered: NumberedWorld | null;
}

export interface PpoPolicy extends Omit<OpenedPolicy, 'learner'> {
  readonly actorCritic: ActorCritic;
  readonly texts: StepTexts<StepAction>;
  /** its environment, played in words, or by number where clients number their actions; null if it is stepped here by number */
  readonly kind: SteppedKind | null;
  /** compute settings that affect its numbers; null for a small network on the processor, which computes in one way */
  readonly computing: Computing | null;
  /** episodes that are evaluated at once: changes the speed alone */
  readonly evaluatedAtOnce: number;
  /** of its actions, if configured */
  readonly predictor: ActionPredictor | null;
  /** the actions that a small network chooses among, by their ids; absent for a language model */
  readonly actions?: readonly string[];
  /** the server that answers during training; null if it answers itself */
  readonly elsewhere: Elsewhere | null;
}

/** The start of a policy. */
export interface PolicyStart {
  /** draws all new parameters */
  readonly random: Random;
  /** a run or checkpoint with its parameters; null for none */
  readonly from: string | null;
  /** a small network's name in checkpoints, which hold no path of a later call; default its name */
  readonly typed?: string | undefined;
  /** where a language model is now; absent or null: where its name leads */
  readonly model?: string | null;
}
