/** A method's part of a run's life (`run.ts`): storing, opening, evaluating and training. */
import type { Closings, Host, PolicySizes, Times } from '@emac/opening';
import type { EvaluationResult } from '@emac/rollout';
import type { ResumePoint, Run } from '@emac/runs';
import type { ResultJournal } from '../evaluation/journal.ts';
import type { EvaluationTraces } from '../logs/evaluation-traces.ts';
import type { Expected } from '@emac/opening';

/** The types of one method. */
export interface Types {
  /** the word in config.yaml: the command that begins such runs */
  readonly command: string;
  /** the start of a run */
  readonly asked: unknown;
  /** every setting with the value in use */
  readonly config: RunSettings;
  readonly evaluation: EvaluationResult;
  /** the result of training */
  readonly outcome: unknown;
}

/** Settings that every run has. */
export interface RunSettings {
  readonly out: string;
  readonly seed: number;
  readonly keep: number | null;
  /** every episode is written to `traces.jsonl` */
  readonly traces: boolean;
  /** once the run is done its last checkpoint alone stays */
  readonly onlyLast?: boolean;
}

export interface Recipe<T extends Types> {
  readonly command: T['command'];
  /** The start of a stored run, with paths resolved from that directory. Errors: `config`. */
  read(folder: string, directory: string): T['asked'];
  /** Opens and checks everything before a folder is made: bad input leaves nothing behind. */
  open(asked: T['asked'], continued: Continued | null, host: Host): Promise<Opened<T>>;
  /** The start of the next run after the one in a folder, or in a dry run after none; null after the last. */
  next(asked: T['asked'], folder: string | null): T['asked'] | null;
}

/** A resumed run and its checkpoint; null without one. */
export interface Continued {
  readonly folder: string;
  readonly point: ResumePoint | null;
}

/** A run's parts, opened. */
export interface Opened<T extends Types> {
  readonly config: T['config'];
  /** the content of config.yaml */
  readonly stored: object;
  readonly phase: string;
  /** the method's name where the phase has several */
  readonly method?: string;
  /** of code, model, games and data: a resumed run must find the same */
  readonly versions: Readonly<Record<string, string>>;
  /** bytes of disk that its checkpoints need */
  readonly space: number;
  /** sentences for people */
  notes(): readonly string[] | Promise<readonly string[]>;
  /** Writes further files before the folder becomes visible. */
  prepare?(folder: string): void;
  /** the work of the whole run */
  expected(): Expected;
  /** Opens the parts in the run's folder: workers, a journal of replies. In a trial of a dry run they are smaller. */
  begin(work: Work): Training<T> | Promise<Training<T>>;
  dispose(): Promise<void>;
}

/** A run under way. */
export interface Work {
  readonly run: Run;
  /** the checkpoint it resumes from; null at its beginning */
  readonly point: ResumePoint | null;
  readonly host: Host;
  readonly times: Times;
  /** closed when the run ends */
  readonly open: Closings;
}

export interface Training<T extends Types> {
  /** updates that are over */
  readonly updates: number;
  /** null if this process does everything */
  readonly workers: RunWorkers | null;
  /** Null if no episode is evaluated. Errors: `interrupted`. */
  evaluate(when: When, kept: KeptResult): Promise<T['evaluation'] | null>;
  /** Trains to the end. Errors: `interrupted` after a checkpoint. */
  train(): Promise<Trained<T['outcome']>>;
}

export interface RunWorkers {
  /** Throws `check-failed` if two workers gave different results for a job of the run. */
  agreed(): Promise<void>;
  /** Forgets the results of a finished run. */
  forget(): Promise<void>;
}

/** Bytes of three checkpoints with all parameters, two moments of the trainable ones, and their earlier versions. */
export function spaceNeeded({ parameters, trained }: PolicySizes, earlier = 0): number {
  return 3 * (parameters + (2 + earlier) * trained);
}

/** Before training and after it. */
export type When = 'before' | 'after';

export interface KeptResult {
  /** the checkpoint's name in the result; `start` before training */
  readonly checkpoint: string;
  /** Opens this evaluation's journal, which survives an interruption. Errors: `io`, `data`. */
  journal(): ResultJournal;
  /** where the traces of its attempts are kept; absent: none are asked for */
  readonly traces?: EvaluationTraces | undefined;
  /** folder for its first episode; absent: none is kept */
  readonly film?: string | undefined;
}

export interface Trained<Outcome> {
  readonly outcome: Outcome;
  readonly updates: number;
  /** why training stopped early; null if it did not */
  readonly stopped: string | null;
  /** sentences on the results */
  readonly remarks: readonly string[];
}

/** The results of a run. */
export interface Finished<T extends Types> extends Pick<
  Trained<T['outcome']>,
  'outcome' | 'stopped' | 'remarks'
> {
  readonly command: T['command'];
  readonly folder: string;
  readonly config: T['config'];
  /** null if no episode was evaluated */
  readonly before: T['evaluation'] | null;
  readonly after: T['evaluation'] | null;
  /** milliseconds that each part took, in this process */
  readonly spent: ReadonlyMap<string, number>;
  readonly wasResumed: boolean;
}
