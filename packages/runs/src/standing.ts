/**
 * Decides which checkpoints of a run stay: the end of each round, the newest few of the others, the best, and the
 * latest. This is part of every checkpoint's state and follows only from earlier states, so a resumed run keeps the
 * same ones.
 */

export interface Standing {
  /**
   * steps of the kept checkpoints (ends of rounds and newest others), ascending; without those made by an interruption
   */
  readonly kept: readonly number[];
  /** the one with the lowest loss on the probe */
  readonly best: { readonly step: number; readonly loss: number } | null;
}

export const noStanding: Standing = { kept: [], best: null };

export interface Moment {
  /** probe loss measured since the last checkpoint; null if not measured */
  readonly loss?: number | null;
  /** made by an interruption: the next one replaces it */
  readonly isExtra?: boolean;
}

/** The next standing after a checkpoint of `step`, if the newest `keep` stay (null: all) besides ends of rounds. */
export function nextStanding(
  { kept, best }: Standing,
  {
    step,
    loss = null,
    isExtra = false,
    keep,
    isRoundEnd = () => false,
  }: Moment & {
    readonly step: number;
    readonly keep: number | null;
    readonly isRoundEnd?: (step: number) => boolean;
  },
): Standing {
  if (isExtra) return { kept, best };
  const steps = [...kept.filter((each) => each < step), step];
  const others = steps.filter((each) => !isRoundEnd(each));
  const gone = new Set(keep === null ? [] : others.slice(0, -keep));
  return {
    kept: steps.filter((each) => !gone.has(each)),
    best: loss !== null && (best === null || loss < best.loss) ? { step, loss } : best,
  };
}

/** Steps of the checkpoints that belong in the folder while `step` is the latest. */
export function stepsThatStay({ kept, best }: Standing, step: number): ReadonlySet<number> {
  return new Set([...kept, step, ...(best ? [best.step] : [])]);
}
