/** The policy of a plan, and the one that preferences are measured against, whatever they are made of. */
import type { DaggerState } from '@emac/algorithms';
import type { ParameterSet, Policy, Scorer } from '@emac/core';
import { encodeFloats, sha256 } from '@emac/files';
import {
  checkpointContent,
  storedSizes,
  tensorBytes,
  type OpenedPolicy,
  type StoredPolicy,
} from '@emac/opening';
import type { TrainedFiles } from '@emac/runs';
import { keepReference } from '../checkpoint/reference-folder.ts';
import type { PlannedPolicy, PlannedReference, TrainingPlan } from './plan.ts';

/** What checkpoints and the reference hold beside parameters. */
export type Beside = Pick<TrainingPlan, 'trainedOn' | 'solvedBefore'>;

/** The part that follows from the opened policy alone. */
export function plannedPolicy(
  policy: OpenedPolicy,
  { trainedOn, solvedBefore }: Beside,
): Pick<PlannedPolicy, 'student' | 'identity' | 'sizes' | 'content'> {
  const { learner, identity } = policy;
  return {
    student: learner,
    identity,
    sizes: storedSizes(policy, learner),
    content: (step, { state, optimizer }, replies) =>
      checkpointContent(policy, {
        step,
        state,
        optimizer: { tensors: optimizer.tensors, steps: { step: optimizer.step } },
        games: trainedOn(),
        beside: { solvedBefore, replies },
      }),
  };
}

export interface OpenedReference extends Pick<StoredPolicy, 'identity' | 'stored'> {
  readonly policy: Policy & Scorer;
  /** that identify it */
  readonly tensors: ParameterSet;
  /** files of a checkpoint */
  readonly files: () => TrainedFiles['files'];
  readonly memories?: DaggerState['memories'];
}

export function plannedReference(
  { policy, tensors, files, identity, stored, memories }: OpenedReference,
  { trainedOn, solvedBefore }: Beside,
): PlannedReference {
  return {
    policy,
    get hash() {
      return sha256(encodeFloats(tensors));
    },
    bytes: tensorBytes(tensors),
    keep: (folder) =>
      keepReference(folder, {
        files: files(),
        state: { ...stored, ...(memories && { training: { memories } }), solvedBefore },
        identity: { baseModel: identity, games: trainedOn() },
      }),
  };
}
