/**
 * Chooses the best PPO checkpoint, among those kept anyway: the one whose update completed the cohort of episodes
 * (`cohorts.ts`) with the highest mean return. Or, as in VLA-RL's fork, the one at the last rise of a moving average of
 * these returns, which is then kept at once. It also decides whether a better one can be expected.
 */
import type { GrpoLine, PpoLine } from '@emac/algorithms';
import type { FinishedEpisode } from '@emac/rollout';
import { readBestReturn, withReturn, type BestReturnState } from '@emac/curriculum';
import type { Cohorts } from './cohorts.ts';

/** How the best is chosen. */
export interface BestSettings {
  /** α of the moving average; null for the mean return of one update's cohorts */
  readonly ema: number | null;
  readonly minDelta: number;
  readonly patience: number | null;
}

export interface BestSoFar {
  /** Call for every ended episode, before its update is over. */
  episode(episode: Pick<FinishedEpisode, 'place' | 'return'>): void;
  /** Call for every update. */
  update(line: PpoLine | GrpoLine): void;
  /** of the last update: a checkpoint is due for it alone */
  readonly isBest: boolean;
  /** nothing better is waited for any more */
  readonly isOver: boolean;
  /** why training ends, for people; null while it continues */
  readonly whyOver: string | null;
  /** the value that compares checkpoints, lower is better; null for no candidate */
  readonly loss: number | null;
  /** plain JSON for a checkpoint; null without an average, or before the first complete cohort */
  readonly state: BestReturnState | null;
  /** how far the best is below the newest cohorts, as a share of the range of returns; null if it is not */
  readonly behind: number | null;
}

/** `stored` is an earlier `state`. Errors: `data`. */
export function bestSoFar(
  { ema, minDelta, patience }: BestSettings,
  cohorts: Cohorts,
  stored: unknown,
): BestSoFar {
  const range = rangeOfReturns();
  if (ema === null) return newestOf(cohorts, range);
  let state = readBestReturn(stored ?? null);
  let [isBest, isOver] = [false, state !== null && isExhausted(state, patience)];
  return {
    episode: (episode) => cohorts.add(episode),
    update: () => {
      const reached = cohorts.completed();
      isBest = false;
      if (reached === null) return;
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
      range.add(reached, isBest);
    },
    get isBest() {
      return isBest;
    },
    get isOver() {
      return isOver;
    },
    get whyOver() {
      if (!isOver || state === null) return null;
      return `--patience ${patience}: the average return of complete cohorts was best after ${state.bestUpdate} of the ${state.updates} updates with a complete cohort`;
    },
    get loss() {
      return isBest ? -state!.best : null;
    },
    get state() {
      return state;
    },
    get behind() {
      return range.behind;
    },
  };
}

/** Each update is compared by the cohorts that it completed; training never ends for it. */
function newestOf(cohorts: Cohorts, range: RangeOfReturns): BestSoFar {
  let [loss, highest] = [null as number | null, -Infinity];
  return {
    ...never,
    episode: (episode) => cohorts.add(episode),
    update: () => {
      const reached = cohorts.completed();
      loss = reached === null ? null : -reached;
      if (reached === null) return;
      range.add(reached, reached > highest);
      highest = Math.max(highest, reached);
    },
    get loss() {
      return loss;
    },
    get behind() {
      return range.behind;
    },
  };
}

interface RangeOfReturns {
  add(reached: number, isBest: boolean): void;
  readonly behind: number | null;
}

/** Returns seen by this process, to compare the best with the newest. */
function rangeOfReturns(): RangeOfReturns {
  let [low, high, best, newest] = [Infinity, -Infinity, -Infinity, -Infinity];
  return {
    add(reached, isBest) {
      [low, high, newest] = [Math.min(low, reached), Math.max(high, reached), reached];
      if (isBest) best = reached;
    },
    get behind() {
      return newest > best && high > low ? (newest - best) / (high - low) : null;
    },
  };
}

const never = { isBest: false, isOver: false, whyOver: null, state: null, behind: null } as const;

function isExhausted({ updates, bestUpdate }: BestReturnState, patience: number | null): boolean {
  return patience !== null && updates - bestUpdate >= patience;
}

/** Each update of GRPO is compared by its mean reward: every attempt of an update ends in it. Training never ends for it. */
export function newestReward(): BestSoFar {
  let loss: number | null = null;
  return {
    ...never,
    episode: () => {},
    update: (line) => {
      const reached = line['reward'];
      loss = typeof reached === 'number' ? -reached : null;
    },
    get loss() {
      return loss;
    },
  };
}
