/** The policy of a plan, and the one that preferences are measured against, whatever they are made of. */
import { encodeFloats, sha256 } from '@emac/files';
import { checkpointContent, storedSizes, tensorBytes, type OpenedPolicy } from '@emac/opening';
import { keepReference } from '../checkpoint/reference-folder.ts';
import type { OpenedReference, PlannedPolicy, PlannedReference, TrainingPlan } from './plan.ts';

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
