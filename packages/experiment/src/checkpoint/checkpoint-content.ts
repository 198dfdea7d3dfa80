/** The content of a checkpoint: parameters, optimizer, training state, and the policy's form. */
import type { DaggerCheckpoint, DaggerState, OfflineState } from '@emac/algorithms';
import type { Family, VisionNorm } from '@emac/backbone';
import type { ReplyPosition } from '@emac/expert';
import type { Student } from '@emac/model';
import { adapterFiles, projectionTensors, type PolicyForm } from '@emac/opening';
import type { CheckpointContent, CheckpointIdentity, ResumePoint } from '@emac/runs';

export interface Trained {
  readonly policy: Pick<Student, 'projection' | 'adapter'>;
  /** of the model; names an adapter's tensors */
  readonly family: Pick<Family, 'moduleOf'>;
  readonly form: PolicyForm;
  readonly identity: CheckpointIdentity;
  /** ids of games that earlier phases won, sorted */
  readonly solvedBefore: readonly string[];
  /** the projection's vision norm, if it is not the model's own */
  readonly visionNorm: VisionNorm | null;
}

export interface TrainedSoFar<State> extends Pick<DaggerCheckpoint, 'optimizer'> {
  readonly state: State;
}

/** The content of a checkpoint at one moment of training; holds no clock, path or run id. */
export function checkpointContent(
  step: number,
  { state, optimizer }: TrainedSoFar<DaggerState | OfflineState>,
  {
    policy,
    family,
    form,
    identity,
    solvedBefore,
    visionNorm,
    replies,
  }: Trained & { readonly replies: ReplyPosition },
): CheckpointContent {
  return {
    step,
    projection: projectionTensors(policy, visionNorm),
    beside: policy.adapter ? [adapterFiles(policy.adapter, family)] : [],
    optimizer: optimizer.tensors,
    state: {
      v: 2,
      training: state,
      optimizer: { step: optimizer.step },
      policy: form,
      solvedBefore,
      replies,
    },
    manifest: identity,
  };
}

/** The training state at a checkpoint. */
export function trainingAt<State>({ checkpoint }: ResumePoint): TrainedSoFar<State> & {
  readonly replies: ReplyPosition;
  readonly solvedBefore: readonly string[];
} {
  const {
    training,
    optimizer,
    replies,
    solvedBefore = [],
  } = checkpoint.state as {
    readonly training: State;
    readonly optimizer: { readonly step: number };
    readonly replies: ReplyPosition;
    readonly solvedBefore?: readonly string[];
  };
  return {
    state: training,
    optimizer: { step: optimizer.step, tensors: checkpoint.optimizer! },
    replies,
    solvedBefore,
  };
}
