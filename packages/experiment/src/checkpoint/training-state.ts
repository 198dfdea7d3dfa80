/** The state of training from labels, as its checkpoints hold it. */
import type { DaggerCheckpoint } from '@emac/algorithms';
import type { ReplyPosition } from '@emac/expert';
import type { ResumePoint } from '@emac/runs';

export interface TrainedSoFar<State> extends Pick<DaggerCheckpoint, 'optimizer'> {
  readonly state: State;
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
