/** A policy that PPO trains, opened: what acts and learns, how it reads its environment, and what of it is stored. */
import type { ActionPredictor } from '@emac/algorithms';
import type { Adapter } from '@emac/backbone';
import type { ActorCritic, OpenedKind, Random } from '@emac/core';
import type { StepTexts } from '@emac/rollout';
import type { CheckpointContent } from '@emac/runs';
import type { Elsewhere } from '../inference/elsewhere.ts';
import type { Computing } from '../models/computing.ts';
import type { PolicyForm } from '../models/policy-form.ts';
import type { StepAction } from './robots.ts';

export interface PpoPolicy {
  readonly actorCritic: ActorCritic;
  readonly texts: StepTexts<StepAction>;
  /** whose words it reads and says; null where it plays what is stepped by number, or elsewhere */
  readonly opened: OpenedKind | null;
  /** of the frozen networks below what learns, or what the network is made of */
  readonly identity: string;
  /** what its numbers depend on beside the model; null for a small network, which computes in one way */
  readonly computing: Computing | null;
  /** episodes that are evaluated at once: changes the speed alone */
  readonly evaluatedAtOnce: number;
  /** of a model: what other commands read of its checkpoints; null for a small network */
  readonly form: PolicyForm | null;
  /** of the language model; null without one */
  readonly adapter: Adapter | null;
  /** of its actions, where the configuration asks for one */
  readonly predictor: ActionPredictor | null;
  /** who answers in its place while it is trained; null where it answers itself */
  readonly elsewhere: Elsewhere | null;
  /** its parameters as they are now, and the predictor's */
  content(): Pick<CheckpointContent, 'projection' | 'beside'>;
  dispose(): Promise<void>;
}

/** What a policy starts from. */
export interface PolicyStart {
  /** whatever is fresh is drawn with it */
  readonly random: Random;
  /** a run or checkpoint whose parameters it takes; null for none */
  readonly from: string | null;
}
