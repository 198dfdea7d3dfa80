/** What a dry run tells, of any method, and the machine that it tells of. */
import { freeSpace } from '@emac/files';
import type { Host } from '@emac/opening';
import type { ExpectedDisk, Room } from './disk.ts';
import type { Examples } from './example.ts';
import type { ExpertEstimate } from './expert-estimate.ts';
import type { ExpectedTime } from './hours.ts';
import type { MeasuredUpdates } from './measure-updates.ts';
import type { Measured } from './measure.ts';

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
  /** milliseconds after which longer prompts are counted up instead of measured; default 20,000 */
  readonly measureLimit?: number;
}

export interface ShownExample extends Pick<Examples, 'source' | 'saidBy'> {
  /** exactly as the model reads it, after its visual tokens */
  readonly prompt: string;
  /** exactly as it is learned, without the end token */
  readonly target: string;
  readonly tokens: {
    /** null where they are not counted */
    readonly visual: number | null;
    /** begin token included */
    readonly prompt: number;
    /** end token included */
    readonly target: number;
    /** of the longest prompt that is possible; null where none is known */
    readonly longest: number | null;
  };
}

export interface ExpectedMemory {
  /** bytes of this process, measured: after opening, after acting, and at most */
  readonly opened: number;
  readonly acting: number;
  readonly peak: number;
  /** what training adds: measured from acting to the largest update, and the optimizer's moments; 0 where nothing is trained */
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
  /** what may stop the run for lack of disk or memory */
  readonly warnings: readonly string[];
  readonly model: {
    readonly folder: string;
    readonly identity: string;
    /** null for a small network */
    readonly layers: string | null;
    readonly parameters: { readonly trained: number; readonly frozen: number };
  };
  /** what is played or read, in words */
  readonly of: string;
  /** null for a small network, which reads no text */
  readonly example: ShownExample | null;
  readonly memory: ExpectedMemory;
  /** null where nothing is to be kept */
  readonly disk: (ExpectedDisk & Room) | null;
  readonly time: ExpectedTime & { readonly how: readonly string[]; readonly measured: M };
  /** null where no language model is asked */
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

/** Null where what training adds to this process fits. */
export function memoryWarning(training: number, available: number): string | null {
  return training > available ? 'memory: training may need more than is free' : null;
}
