/** Decay of a learning rate over a known number of updates, as a share of its first value. */
import { EmacError } from '@emac/core';

export interface Decay {
  readonly schedule: 'constant' | 'linear' | 'cosine';
  /** remaining share from update `length` on */
  readonly finalShare: number;
  /** number of updates of the decay */
  readonly length: number;
}

/**
 * The share at an update, counted from 0: 1 at the first, `finalShare` from update `length` on, so a run of exactly `length` updates
 * never reaches it (CleanRL). RL4VLM's cosine (PyTorch's CosineAnnealingLR) would rise again after its length; this one stays.
 * Errors: `usage`.
 */
export function decayShare({ schedule, finalShare, length }: Decay, update: number): number {
  if (!(finalShare >= 0 && finalShare <= 1) || !(length > 0))
    throw new EmacError(
      'usage',
      `learning rate: must fall to a share from 0 to 1 over a length above 0, got ${finalShare} and ${length}`,
    );
  const done = Math.min(1, update / length);
  switch (schedule) {
    case 'constant':
      return 1;
    case 'linear':
      return 1 + (finalShare - 1) * done;
    case 'cosine':
      return finalShare + ((1 - finalShare) * (1 + Math.cos(Math.PI * done))) / 2;
  }
}
