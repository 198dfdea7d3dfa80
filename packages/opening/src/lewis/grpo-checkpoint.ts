/** What a checkpoint of GRPO holds: parameters, those of earlier versions that give answers to come, optimizer, where training stands, and which policy of which role it is. */
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
import { visionNormTensors } from '../models/vision-norm.ts';

/** What is needed to open the policy of a checkpoint that was copied elsewhere. */
export type LewisForm = Pick<GrpoConfig, 'game' | 'model' | 'speech'> & { readonly role: LewisRole };

interface StoredState {
  readonly training: GrpoState;
  readonly optimizer: { readonly step: number };
  /** absent in other environments */
  readonly lewis?: LewisForm;
  /** of a service, so far; absent where none is asked */
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
    projection: new Map([...student.projection, ...visionNormTensors(visionNorm)]),
    beside: student.adapter ? [adapterFiles(student.adapter, family)] : [],
    optimizer: new Map([...optimizer.tensors, ...namesOfEarlier(earlier)]),
    state: { v: 2, ...stored },
    manifest: { baseModel: identity, games: [] },
  };
}

/** The replies of a service that a checkpoint has used; null where none was asked. */
export function repliesOf({ state }: Checkpoint): ReplyPosition | null {
  return stateOf(state, 'checkpoint').replies ?? null;
}

/** Where training stood. Errors: `data` for a checkpoint of another method. */
export function grpoCheckpointOf({ state, optimizer: tensors }: Checkpoint): GrpoCheckpoint {
  const { training, optimizer } = stateOf(state, 'checkpoint');
  return {
    state: training,
    optimizer: { step: optimizer.step, tensors: tensors! },
    earlier: earlierOf(tensors!),
  };
}

/** What a run or checkpoint plays; null for what did not learn the game from emac grpo, such as a model or an adapter alone. */
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
