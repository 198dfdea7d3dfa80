/** The report of a dry run, and the machine it describes. */
import { freeSpace } from '@emac/files';
import type { Host, Range } from '@emac/opening';
import type { ExpectedDisk, Room } from './disk.ts';
import type { ExpectedTime } from './expected-time.ts';
import type { ExpertEstimate } from './expert-estimate.ts';
import type { Measured } from './trials.ts';

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
  /** time limit for trials beyond the smallest, in milliseconds; the rest is extrapolated; default 10,000 */
  readonly measureLimit?: number;
}

export interface ShownExample {
  /** its origin */
  readonly source: string;
  /** source of the target */
  readonly saidBy: string;
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
  /** bytes of this process, measured: after opening, after acting, and at most */
  readonly opened: number;
  readonly acting: number;
  readonly peak: number;
  /** of the run's process at most, expected */
  readonly run: Range;
  /** memory added by training, measured; 0 without training */
  readonly training: number;
  /** free for this process now */
  readonly available: number;
}

export interface DryRun {
  /** `bc`, `dpo`, `ppo`, `grpo`, `gigpo` …, `evaluation`, `collection` */
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
  readonly time: ExpectedTime & { readonly how: readonly string[]; readonly measured: Measured };
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
