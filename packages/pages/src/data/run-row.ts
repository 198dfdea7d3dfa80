/** A line of the list of runs. */
import type { Success } from './success.ts';

/** What stands in a folder of results. */
export type ResultKind = 'run' | 'evaluation' | 'comparison' | 'sweep';

export interface RunRow {
  /** path of its folder below the board's, with `/`; names it in addresses */
  readonly name: string;
  readonly kind: ResultKind;
  /** name of the sweep or comparison that it is a part of; null for one of its own */
  readonly parent: string | null;
  /** a name, a note and a star that a person gave it; they stand in the run's folder */
  readonly title: string | null;
  readonly note: string | null;
  readonly isStarred: boolean;
  /** e.g. `bc`, `gigpo`; null where nothing was trained */
  readonly method: string | null;
  readonly environment: string | null;
  /** several of a comparison are separated by `, ` */
  readonly policy: string | null;
  /** `running`, `interrupted`, `killed`, `done`, `failed`; null where nothing runs */
  readonly state: string | null;
  /** ISO 8601, UTC; of an evaluation or comparison when its result was written; null if unknown */
  readonly started: string | null;
  /** from its start to its end, or until now */
  readonly seconds: number | null;
  readonly updates: number;
  readonly environmentSteps: number | null;
  /** shares of tasks solved */
  readonly success: {
    /** by evaluations; of a comparison and of a sweep, the best of its policies or settings; null if not measured */
    readonly evaluated: Success | null;
    /** while it trained: about evenly spaced, at most 64, and the last and the highest of all */
    readonly curve: readonly number[];
    readonly last: number | null;
    readonly best: number | null;
  };
  /** flags of the command that began it, e.g. `--lr 0.001`; what a sweep tries, e.g. `optimization.learningRate 0.01, 0.1` */
  readonly changed: readonly string[];
  /** settings by path, e.g. `play.maxSteps` */
  readonly settings: Readonly<Record<string, string | number | boolean | null>>;
  /** last, lowest and highest value of each number in `metrics.jsonl`, by kind of line and name, e.g. `update loss` */
  readonly metrics: Readonly<
    Record<string, { readonly last: number; readonly low: number; readonly high: number }>
  >;
}

/** The list as the board sends it. */
export interface RunRows {
  /** newest start first */
  readonly runs: readonly RunRow[];
  /** rows whose files are still being read: they have a name and a state, and not yet settings and numbers */
  readonly unread: number;
}
