/**
 * Which checkpoint of a run of PPO is the best: that whose update's episodes had the highest mean return among those that are kept anyway, or, as in VLA-RL's
 * fork, that at which a moving average of the mean returns last rose, which is then kept at once; and whether there is hope for a better one.
 */
import type { GrpoLine, PpoLine } from '@emac/algorithms';
import { readBestReturn, withReturn, type BestReturnState } from '@emac/curriculum';

/** How the best is chosen. */
export interface BestSettings {
  /** α of the moving average; null for the mean return of one update */
  readonly ema: number | null;
  readonly minDelta: number;
  readonly patience: number | null;
}

export interface BestSoFar {
  /** Hears of an update. */
  update(line: PpoLine | GrpoLine): void;
  /** of the last update: a checkpoint is due for it alone */
  readonly isBest: boolean;
  /** nothing better is waited for any more */
  readonly isOver: boolean;
  /** why training ends, for people; null while it goes on */
  readonly whyOver: string | null;
  /** what a checkpoint is compared by, the lower the better; null for one that is no candidate */
  readonly loss: number | null;
  /** plain JSON, for a checkpoint; null where nothing is averaged, or no episode has ended yet */
  readonly state: BestReturnState | null;
}

/** `stored` is what `state` was. Errors: `data`. */
export function bestSoFar({ ema, minDelta, patience }: BestSettings, stored: unknown): BestSoFar {
  if (ema === null) return newest('mean_return');
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
    get whyOver() {
      if (!isOver || state === null) return null;
      return `--patience ${patience}: the average of mean returns was best after ${state.bestUpdate} of ${state.updates} updates with an episode that ended`;
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

/** Each update is compared by its own measure; training never ends for it. */
export function newest(measure: 'mean_return' | 'reward'): BestSoFar {
  let loss: number | null = null;
  return {
    update: (line) => {
      const reached = line[measure];
      loss = typeof reached === 'number' ? -reached : null;
    },
    isBest: false,
    isOver: false,
    whyOver: null,
    get loss() {
      return loss;
    },
    state: null,
  };
}
