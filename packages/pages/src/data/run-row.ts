/** A line of the list of runs. */

/** What stands in a folder of results. */
export type ResultKind = 'run' | 'evaluation' | 'comparison' | 'sweep';

export interface RunRow {
  /** the folder's name; names the run in addresses */
  readonly name: string;
  readonly kind: ResultKind;
  /** a name, a note and a star that a person gave it; they stand in the run's folder */
  readonly title: string | null;
  readonly note: string | null;
  readonly isStarred: boolean;
  /** e.g. `bc`, `gigpo`; null where nothing was trained */
  readonly method: string | null;
  readonly environment: string | null;
  readonly policy: string | null;
  /** `running`, `interrupted`, `killed`, `done`, `failed`; null where nothing runs */
  readonly state: string | null;
  /** ISO 8601, UTC; null if unknown */
  readonly started: string | null;
  /** from its start to its end, or until now */
  readonly seconds: number | null;
  readonly updates: number;
  readonly environmentSteps: number | null;
  /** shares of tasks solved: on held-out tasks before and after training, in training last and best; null if not measured */
  readonly success: {
    readonly before: number | null;
    readonly after: number | null;
    readonly last: number | null;
    readonly best: number | null;
  };
  /** flags of the command that began it, e.g. `--lr 0.001` */
  readonly changed: readonly string[];
  /** settings by path, e.g. `play.maxSteps` */
  readonly settings: Readonly<Record<string, string | number | boolean | null>>;
  /** last, lowest and highest value of each number in `metrics.jsonl`, by kind of line and name, e.g. `update loss` */
  readonly metrics: Readonly<
    Record<string, { readonly last: number; readonly low: number; readonly high: number }>
  >;
}
