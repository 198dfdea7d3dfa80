/** Parts of a run in a queue, a hundred updates each: results of updates long over leave it while the run goes on, and what is asked for again is done again. */
import type { Host } from '@emac/opening';
import type { JobQueue } from '@emac/queue';
import { forgetAll } from './forget-all.ts';
import { requireAgreement } from './require-agreement.ts';
import { partName } from './run-names.ts';

/** updates whose results leave the queue together */
const atOnce = 100;

export interface UpdateBlocks {
  /** What jobs of an update, from 0, are named by; on the way the block before the last one leaves the queue. Errors: as `agreed`; those of the queue. */
  of(update: number): Promise<string>;
  /** Names of those that are in the queue still, where so many updates are made. */
  left(updates: number): readonly string[];
  /** Where so many updates are made. Errors: as `requireAgreement`. */
  agreed(updates: number): Promise<void>;
  /** the run is over after so many updates: nobody asks for its results any more */
  forget(updates: number): Promise<void>;
}

export interface UpdateBlocksOf {
  /** of its own among the runs of the queue, and the same where it goes on */
  readonly run: string;
  /** hash of what workers open */
  readonly plan: string;
  readonly part: string;
  /** updates that may be asked before the one that learns is over; default 0 */
  readonly ahead?: number | undefined;
  readonly listener: Host['listener'];
}

export function updateBlocks(
  queue: JobQueue,
  { run, plan, part, ahead = 0, listener }: UpdateBlocksOf,
): UpdateBlocks {
  const named = (block: number): string => partName(run, plan, `${part}-${block * atOnce}`);
  const blockOf = (update: number): number => Math.floor(update / atOnce);
  // those before have left the queue; of the next update somebody may have asked already
  const left = (updates: number): string[] => {
    const [first, last] = [blockOf(Math.max(0, updates - 1)) - 1, blockOf(updates + ahead)];
    const blocks = Array.from({ length: last - first + 1 }, (_, place) => first + place);
    return blocks.filter((block) => block >= 0).map(named);
  };
  const agreed = (updates: number) => requireAgreement(queue, { run, parts: left(updates) });
  let entered = 0;
  return {
    left,
    agreed,
    async of(update) {
      const block = blockOf(update);
      if (block > entered) {
        if (block > 1) {
          await agreed(block * atOnce);
          await queue.forget(named(block - 2));
        }
        entered = block;
      }
      return named(block);
    },
    forget: (updates) => forgetAll(queue, { run, parts: left(updates) }, listener),
  };
}
