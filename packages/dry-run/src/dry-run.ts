/** The report of a dry run of any method, and the machine it describes. */
import { freeSpace } from '@emac/files';
import type { Host } from '@emac/opening';
import type { ExpectedDisk, Room } from './disk.ts';
import type { Examples } from './example.ts';
import type { ExpertEstimate } from './expert-estimate.ts';
import type { ExpectedTime } from './hours.ts';
import type { MeasuredUpdates } from './measure-updates.ts';
import type { Measured } from './measure.ts';
import type { Range } from './range.ts';

/** The machine as a dry run sees it. */
export interface DryMachine {
  /** bytes in use by this process, at most so far, and free for it */
  readonly memory: () => { readonly resident: number; readonly peak: number; readonly available: number };
  /** bytes for files in a folder that is there */
  readonly freeSpace: (folder: string) => number;
}

export interface DryHost extends Host {
  /** default: this one */
  readonly machine?: DryMachine;
  /** time limit for measuring longer prompts, in milliseconds; the rest is extrapolated; default 20,000 */
  readonly measureLimit?: number;
}

export interface ShownExample extends Pick<Examples, 'source' | 'saidBy'> {
  /** exactly as the model reads it, after its visual tokens */
  readonly prompt: string;
  /** exactly as it is learned, without the end token */
  readonly target: string;
  readonly tokens: {
    /** null if not counted */
    readonly visual: number | null;
    /** begin token included */
    readonly prompt: number;
    /** end token included */
    readonly target: number;
    /** of the longest possible prompt; null if unknown */
    readonly longest: number | null;
  };
}

export interface ExpectedMemory {
  /** bytes of this process, measured: after opening, after acting, at most up to an update of usual prompts, and at most */
  readonly opened: number;
  readonly acting: number;
  readonly usual: number;
  readonly peak: number;
  /** of the run's process at most, expected */
  readonly run: Range;
  /**
   * memory added by training: measured from acting to the largest update, plus the optimizer's moments; 0 without
   * training
   */
  readonly training: number;
  /** free for this process now */
  readonly available: number;
}

export interface DryRun<M extends Measured | MeasuredUpdates = Measured | MeasuredUpdates> {
  /** `bc`, `dpo`, `ppo`, `grpo`, `evaluation`, `collection` */
  readonly name: string;
  /** every setting with the value in use */
  readonly config: object;
  readonly notes: readonly string[];
  /** warnings that disk or memory may not be enough */
  readonly warnings: readonly string[];
  readonly model: {
    readonly folder: string;
    readonly identity: string;
    /** null for a small network */
    readonly layers: string | null;
    readonly parameters: { readonly trained: number; readonly frozen: number };
  };
  /** the games or dataset, in words */
  readonly of: string;
  /** null for a small network, which reads no text */
  readonly example: ShownExample | null;
  readonly memory: ExpectedMemory;
  /** null if nothing is kept */
  readonly disk: (ExpectedDisk & Room) | null;
  readonly time: ExpectedTime & { readonly how: readonly string[]; readonly measured: M };
  /** null without a language model */
  readonly expert: ExpertEstimate | null;
}

export const thisMachine: DryMachine = {
  memory: () => ({
    resident: process.memoryUsage.rss(),
    peak: process.resourceUsage().maxRSS * 1024,
    available: process.availableMemory(),
  }),
  freeSpace,
};

/** a run takes up to so much more than the same work done briefly: garbage of a longer life; measured, see the log */
const ofLongerLife = 1.35;

/** Peak of a run's process: as it was up to an update of usual prompts, or more, with parts of `beside` that were not made here. */
export function runMemory(
  { usual, peak }: Pick<Measured['memory'], 'usual' | 'peak'>,
  beside: number,
): Range {
  return { least: usual + beside, most: Math.max(peak, ofLongerLife * usual) + beside };
}

/** Null if the memory added by training fits. */
export function memoryWarning(training: number, available: number): string | null {
  return training > available ? 'memory: training may need more than is free' : null;
}
