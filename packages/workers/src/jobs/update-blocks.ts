/**
 * Parts of a run in a queue, a hundred updates each. Results of old updates leave the queue while the run continues; if
 * asked for again, they are recomputed.
 */
import type { Host } from '@emac/opening';
import type { JobQueue } from '@emac/queue';
import { forgetAll } from './forget-all.ts';
import { requireAgreement } from './require-agreement.ts';
import { partName } from './run-names.ts';

/** updates per part */
const atOnce = 100;

export interface UpdateBlocks {
  /**
   * The run name for jobs of an update (from 0). Entering a new block drops the block before the last. Errors: as
   * `agreed`; those of the queue.
   */
  of(update: number): Promise<string>;
  /** Names of the parts still in the queue after so many updates. */
  left(updates: number): readonly string[];
  /** Checks results after so many updates. Errors: as `requireAgreement`. */
  agreed(updates: number): Promise<void>;
  /** drops results once the run ends after so many updates */
  forget(updates: number): Promise<void>;
}

export interface UpdateBlocksOf {
  /** unique among the queue's runs; unchanged on resume */
  readonly run: string;
  /** hash of the plan workers open */
  readonly plan: string;
  readonly part: string;
  /** updates that may be requested before the trainer finishes one; default 0 */
  readonly ahead?: number | undefined;
  readonly listener: Host['listener'];
}

export function updateBlocks(
  queue: JobQueue,
  { run, plan, part, ahead = 0, listener }: UpdateBlocksOf,
): UpdateBlocks {
  const named = (block: number): string => partName(run, plan, `${part}-${block * atOnce}`);
  const blockOf = (update: number): number => Math.floor(update / atOnce);
  // earlier blocks have left the queue; the next update may have been requested already
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
