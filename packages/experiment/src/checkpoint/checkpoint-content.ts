/** What a checkpoint holds: parameters, optimizer, where training stands, and how the policy is used. */
import type { VisionNorm } from '@emac/backbone';
import type { Student } from '@emac/core';
import type { CheckpointContent, CheckpointIdentity } from '@emac/runs';
import type { OfflineState, TrainingCheckpoint, TrainingState } from '@emac/trainer';
import type { Policy } from './policy.ts';
import type { ReplyPosition } from './reply-journal.ts';
import { visionNormTensors } from './vision-norm.ts';

export interface Trained {
  readonly student: Student;
  readonly policy: Policy;
  readonly identity: CheckpointIdentity;
  /** the norm that the projection is used with, where it is not the model's own */
  readonly visionNorm: VisionNorm | null;
}

export interface TrainedSoFar extends Pick<TrainingCheckpoint, 'optimizer'> {
  readonly state: TrainingState | OfflineState;
}

/** The content of a checkpoint at one moment of training; holds no clock, path or run id. */
export function checkpointContent(
  step: number,
  { state, optimizer }: TrainedSoFar,
  { student, policy, identity, visionNorm, replies }: Trained & { readonly replies: ReplyPosition },
): CheckpointContent {
  return {
    step,
    projection: new Map([...student.parameters(), ...visionNormTensors(visionNorm)]),
    optimizer: optimizer.tensors,
    state: { v: 1, training: state, optimizer: { step: optimizer.step }, policy, replies },
    manifest: identity,
  };
}
