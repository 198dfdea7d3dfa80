/** What a checkpoint holds: parameters, optimizer, where training stands, and how the policy is used. */
import type { Student } from '@emac/core';
import type { CheckpointContent, CheckpointIdentity } from '@emac/runs';
import type { TrainingCheckpoint } from '@emac/trainer';
import type { Policy } from './policy.ts';

export interface Trained {
  readonly student: Student;
  readonly policy: Policy;
  readonly identity: CheckpointIdentity;
}

/** The content of a checkpoint at one moment of training; holds no clock, path or run id. */
export function checkpointContent(
  { state, optimizer }: TrainingCheckpoint,
  { student, policy, identity }: Trained,
): CheckpointContent {
  return {
    step: state.worldSteps + state.updates,
    projection: student.parameters(),
    optimizer: optimizer.tensors,
    state: { v: 1, training: state, optimizer: { step: optimizer.step }, policy },
    manifest: identity,
  };
}
