/**
 * Which checkpoint of a run of PPO is the best: that whose update's episodes had the highest mean return among those that are kept anyway, or, as in VLA-RL's
 * fork, that at which a moving average of the mean returns last rose, which is then kept at once; and whether there is hope for a better one.
 */
import type { PpoLine } from '@emac/algorithms';
import { readBestReturn, withReturn, type BestReturnState } from '@emac/curriculum';
import type { PpoConfig } from '../config/ppo-config.ts';

export interface BestSoFar {
  /** Hears of an update. */
  update(line: PpoLine): void;
  /** of the last update: a checkpoint is due for it alone */
  readonly isBest: boolean;
  /** nothing better is waited for any more */
  readonly isOver: boolean;
  /** what a checkpoint is compared by, the lower the better; null for one that is no candidate */
  readonly loss: number | null;
  /** plain JSON, for a checkpoint; null where nothing is averaged, or no episode has ended yet */
  readonly state: BestReturnState | null;
}

/** `stored` is what `state` was. Errors: `data`. */
export function bestSoFar({ ema, minDelta, patience }: PpoConfig['best'], stored: unknown): BestSoFar {
  if (ema === null) return newestReturn();
  let state = readBestReturn(stored ?? null);
  let [isBest, isOver] = [false, state !== null && isExhausted(state, patience)];
  return {
    update: (line) => {
      const reached = line['mean_return'];
      isBest = false;
      if (typeof reached !== 'number') return;
      ({
        state,
        isBest,
        isExhausted: isOver,
      } = withReturn(state, reached, {
        decay: ema,
        minDelta,
        patience,
        interval: 1,
      }));
    },
    get isBest() {
      return isBest;
    },
    get isOver() {
      return isOver;
    },
    get loss() {
      return isBest ? -state!.best : null;
    },
    get state() {
      return state;
    },
  };
}

function isExhausted({ updates, bestUpdate }: BestReturnState, patience: number | null): boolean {
  return patience !== null && updates - bestUpdate >= patience;
}

function newestReturn(): BestSoFar {
  let loss: number | null = null;
  return {
    update: (line) => {
      const reached = line['mean_return'];
      loss = typeof reached === 'number' ? -reached : null;
    },
    isBest: false,
    isOver: false,
    get loss() {
      return loss;
    },
    state: null,
  };
}
