/** The state of training on a dataset, as plain JSON: orders are drawn from streams named by their epoch. */
import type { LossScale } from '@emac/optim';
import type { Phase } from '../methods/list.ts';

export interface OfflineState {
  readonly v: 1;
  readonly kind: 'offline';
  readonly phase: Phase;
  /** seed and stream names of the run's generator */
  readonly randomPath: string;
  /** samples of the dataset */
  readonly samples: number;
  epoch: number;
  /** samples finished in this epoch, skipped ones included */
  taken: number;
  /** Σ loss · samples over this epoch's updates */
  lossSum: number;
  updates: number;
  microSteps: number;
  /** of the next update; null without loss scaling, or before the first update */
  lossScale: LossScale | null;
  /** training ended within an epoch, with all its events reported */
  isOver?: true;
}

/** The state before the first epoch. */
export function initialOfflineState(
  fields: Pick<OfflineState, 'phase' | 'randomPath' | 'samples'>,
): OfflineState {
  return {
    v: 1,
    kind: 'offline',
    ...fields,
    epoch: 0,
    taken: 0,
    lossSum: 0,
    updates: 0,
    microSteps: 0,
    lossScale: null,
  };
}
