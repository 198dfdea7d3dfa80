/**
 * The content of a GRPO checkpoint: parameters, earlier versions needed for answers to come, optimizer, training state,
 * and the policy's form and role.
 */
import type { GrpoCheckpoint, GrpoState } from '@emac/algorithms';
import type { Family } from '@emac/backbone';
import { EmacError } from '@emac/core';
import type { ReplyPosition } from '@emac/expert';
import type { Student } from '@emac/model';
import { loadCheckpoint, resolveCheckpoint, type Checkpoint, type CheckpointContent } from '@emac/runs';
import type { GrpoConfig, LewisRole } from '@emac/settings';
import { adapterFiles } from '../models/adapter.ts';
import { earlierOf, namesOfEarlier } from '../models/earlier-names.ts';
import type { PolicyForm } from '../models/policy-form.ts';
import type { ProjectionStart } from '../models/projection-start.ts';
import { projectionTensors } from '../models/vision-norm.ts';

/** Enough to open the policy of a copied checkpoint. */
export type LewisForm = Pick<GrpoConfig, 'game' | 'model' | 'speech'> & { readonly role: LewisRole };

interface StoredState {
  readonly training: GrpoState;
  readonly optimizer: { readonly step: number };
  /** absent in other environments */
  readonly lewis?: LewisForm;
  /** of a service, so far; absent without one */
  readonly replies?: ReplyPosition;
  /** as checkpoints of other training have it */
  readonly policy: PolicyForm;
}

export interface GrpoContent {
  readonly student: Pick<Student, 'projection' | 'adapter'>;
  readonly family: Pick<Family, 'moduleOf'>;
  readonly visionNorm: ProjectionStart['visionNorm'];
  readonly form: PolicyForm;
  /** null in other environments */
  readonly lewis: LewisForm | null;
  readonly replies: ReplyPosition | null;
  readonly identity: string;
}

/** Answers plus updates: it grows with every update. */
export function grpoProgress({ answers, update }: GrpoState): number {
  return answers + update;
}

/** The content at one moment; no clock, path or run id is in it. */
export function grpoContent(
  { state, optimizer, earlier = [] }: GrpoCheckpoint,
  { student, family, visionNorm, form, lewis, replies, identity }: GrpoContent,
): CheckpointContent {
  const stored: StoredState = {
    training: state,
    optimizer: { step: optimizer.step },
    ...(lewis && { lewis }),
    ...(replies && { replies }),
    policy: form,
  };
  return {
    step: grpoProgress(state),
    projection: projectionTensors(student, visionNorm),
    beside: student.adapter ? [adapterFiles(student.adapter, family)] : [],
    optimizer: new Map([...optimizer.tensors, ...namesOfEarlier(earlier)]),
    state: { v: 2, ...stored },
    manifest: { baseModel: identity, games: [] },
  };
}

/** The service replies a checkpoint has used; null without a service. */
export function repliesOf({ state }: Checkpoint): ReplyPosition | null {
  return stateOf(state, 'checkpoint').replies ?? null;
}

/** The training state. Errors: `data` for a checkpoint of another method. */
export function grpoCheckpointOf({ state, optimizer: tensors }: Checkpoint): GrpoCheckpoint {
  const { training, optimizer } = stateOf(state, 'checkpoint');
  return {
    state: training,
    optimizer: { step: optimizer.step, tensors: tensors! },
    earlier: earlierOf(tensors!),
  };
}

/**
 * The role and game of a run or checkpoint; null if it did not learn the game from emac grpo, such as a plain model or
 * adapter.
 */
export function lewisFormOf(reference: string): LewisForm | null {
  try {
    return stateOf(loadCheckpoint(resolveCheckpoint(reference).folder).state, reference).lewis ?? null;
  } catch (thrown) {
    if (thrown instanceof EmacError && (thrown.code === 'data' || thrown.code === 'missing')) return null;
    throw thrown;
  }
}

function stateOf(state: Checkpoint['state'], place: string): StoredState {
  const stored = state as unknown as Partial<StoredState>;
  if (stored.training?.kind === 'grpo') return stored as StoredState;
  throw new EmacError('data', `${place}: was not trained by emac grpo; give a run of it`);
}
