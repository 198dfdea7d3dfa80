/** The training state in a GRPO checkpoint, and the role of its policy. */
import type { GrpoCheckpoint, GrpoState } from '@emac/algorithms';
import { EmacError } from '@emac/core';
import type { ReplyPosition } from '@emac/expert';
import { loadCheckpoint, resolveCheckpoint, type Checkpoint } from '@emac/runs';
import type { GrpoConfig, LewisRole } from '@emac/settings';
import { earlierOf } from '../models/stored-names.ts';

/** Enough to open the policy of a copied checkpoint. */
export type LewisForm = Pick<GrpoConfig, 'game' | 'model' | 'speech'> & { readonly role: LewisRole };

interface StoredState {
  readonly training: GrpoState;
  readonly optimizer: { readonly step: number };
  /** absent in other environments */
  readonly lewis?: LewisForm;
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

/**
 * The role and game of a run or checkpoint; null if it did not learn the game from emac train --method grpo, such as a plain model or
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
  throw new EmacError('data', `${place}: was not trained by emac train --method grpo; give a run of it`);
}
