/** The training state in a GRPO checkpoint. */
import type { GrpoCheckpoint, GrpoState } from '@emac/algorithms';
import { EmacError } from '@emac/core';
import type { ReplyPosition } from '@emac/expert';
import type { Checkpoint } from '@emac/runs';
import { earlierOf } from '../models/stored-names.ts';

interface StoredState {
  readonly training: GrpoState;
  readonly optimizer: { readonly step: number };
  /** of a service, so far; absent without one */
  readonly replies?: ReplyPosition;
}

/** Answers plus updates: it grows with every update. */
export function grpoProgress({ answers, update }: GrpoState): number {
  return answers + update;
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

function stateOf(state: Checkpoint['state'], place: string): StoredState {
  const stored = state as unknown as Partial<StoredState>;
  if (stored.training?.kind === 'grpo') return stored as StoredState;
  throw new EmacError('data', `${place}: was not trained by emac train --method grpo; give a run of it`);
}
