/** The results of a run in a queue: their parts, their agreement and their end. */
import { EmacError } from '@emac/core';
import { warn, type Host } from '@emac/opening';
import { pause, type JobQueue } from '@emac/queue';
import { forgetting } from './forget-run.ts';

/** updates per part: results of old updates leave the queue while the run continues, and are recomputed if needed */
const atOnce = 100;
/** milliseconds between checks for late results */
const lookMs = 100;

export interface RunResults {
  /** The run's name in jobs of a part, and of an update if it needs them. Errors: as `agreed`. */
  nameOf(part: string, update: number | undefined): Promise<string>;
  /**
   * Throws `check-failed` if two workers gave different results for a job of the run, until the run is forgotten. Call
   * before reporting the run as finished.
   */
  agreed(): Promise<void>;
  /** Drops them; an unreachable queue is reported, not thrown. `late`: waits for jobs that workers have begun. */
  forget(late: boolean): Promise<void>;
}

export interface ResultsOf {
  readonly queue: JobQueue;
  /** unique among the queue's runs; unchanged on resume */
  readonly run: string;
  /** hash of the plan that workers open */
  readonly plan: string;
  readonly host: Pick<Host, 'listener' | 'signal'>;
}

export function runResults({ queue, run, plan, host }: ResultsOf): RunResults {
  const prefix = `${run}.${plan.slice(0, 12)}.`;
  const parts = async () => (await queue.runs()).filter((name) => name.startsWith(prefix));
  const agreed = async (): Promise<void> => {
    const conflicts = await Promise.all((await parts()).map((part) => queue.conflicts(part)));
    const [job] = conflicts.flat();
    if (job === undefined) return;
    throw new EmacError(
      'check-failed',
      `workers: equal jobs must have equal results, two workers disagree on ${job}; find the one that differs, then ${forgetting(run)} and start again in another folder, since the first result was counted`,
    );
  };
  const drop = async (): Promise<void> => {
    try {
      for (const part of await parts()) await queue.forget(part);
    } catch (thrown) {
      if (!(thrown instanceof EmacError)) throw thrown;
      warn(host.listener, `results stay in the queue until ${forgetting(run)}: ${thrown.message}`);
    }
  };
  const isWorking = async () => (await parts()).length > 0 && (await queue.workers()).length > 0;
  const newest = new Map<string, number>();
  return {
    agreed,
    async nameOf(part, update) {
      if (update === undefined) return `${prefix}${part}`;
      const block = Math.floor(update / atOnce);
      const named = (place: number): string => `${prefix}${part}-${place * atOnce}`;
      if (block > (newest.get(part) ?? 0)) {
        if (block > 1) {
          await agreed();
          await queue.forget(named(block - 2));
        }
        newest.set(part, block);
      }
      return named(block);
    },
    async forget(late) {
      await drop();
      // `drop` reports an unreachable queue
      for (let told = false; late && !host.signal?.aborted; told = true) {
        if (!(await isWorking().catch(() => false))) return;
        if (!told)
          host.listener?.note?.(
            'workers finish the episodes that they play ahead; nothing learns from these',
          );
        await pause(queue.timers, lookMs);
        await drop();
      }
    },
  };
}
