/** An opened policy for PPO: its networks, its texts, and its stored parts. */
import type { ActionPredictor } from '@emac/algorithms';
import type { Adapter } from '@emac/backbone';
import type { ActorCritic, OpenedKind, Random } from '@emac/core';
import type { Student } from '@emac/model';
import type { StepTexts } from '@emac/rollout';
import type { CheckpointContent } from '@emac/runs';
import type { Elsewhere } from '../inference/elsewhere.ts';
import type { Computing } from '../models/computing.ts';
import type { OpenModel } from '../models/model.ts';
import type { PolicyForm } from '../models/policy-form.ts';
import type { ClientKind } from '../tasks/client-kind.ts';
import type { StepAction } from './robots.ts';

export interface PpoPolicy {
  readonly actorCritic: ActorCritic;
  readonly texts: StepTexts<StepAction>;
  /** the environment of its words; null if stepped by number */
  readonly opened: OpenedKind | null;
  /** the environment that clients play and it steps by number; null if it is stepped here, or in words */
  readonly numbered: ClientKind | null;
  /** hash of the frozen networks, or the network's description */
  readonly identity: string;
  /** null for a small network */
  readonly model: (Omit<OpenModel, 'layers'> & Pick<Student, 'layers'>) | null;
  /** compute settings that affect its numbers; null for a small network, which computes in one way */
  readonly computing: Computing | null;
  /** episodes that are evaluated at once: changes the speed alone */
  readonly evaluatedAtOnce: number;
  /** of a model: read by other commands from its checkpoints; null for a small network */
  readonly form: PolicyForm | null;
  /** of the language model; null without one */
  readonly adapter: Adapter | null;
  /** of its actions, if configured */
  readonly predictor: ActionPredictor | null;
  /** one sentence about its conversation (`Student`); null without one */
  readonly note: string | null;
  /** the server that answers during training; null if it answers itself */
  readonly elsewhere: Elsewhere | null;
  /** its parameters as they are now, and the predictor's */
  content(): Pick<CheckpointContent, 'projection' | 'beside'>;
  dispose(): Promise<void>;
}

/** The start of a policy. */
export interface PolicyStart {
  /** draws all new parameters */
  readonly random: Random;
  /** a run or checkpoint with its parameters; null for none */
  readonly from: string | null;
}
