/** A gathering among faults that a real Redis and real processes can be given, drawn from a seed. */
import { Random } from '@emac/core';
import { gather, type Job, type Json, type JobQueue } from '@emac/queue';

export const kinds = [
  'kill worker',
  'freeze worker',
  'cut worker',
  'cut trainer',
  'stop trainer',
  'kill Redis',
] as const;

export interface TimelyFault {
  readonly what: (typeof kinds)[number];
  /** comes once so many jobs are done */
  readonly moment: number;
  /** of a worker that is frozen, in milliseconds */
  readonly length: number;
}

export interface GatheringSchedule {
  readonly seed: number;
  readonly jobs: readonly Job[];
  readonly leaseMs: number;
  readonly jobMs: number;
  readonly bound: number;
  /** in the order of their moments */
  readonly faults: readonly TimelyFault[];
}

/** workers at a time */
export const workers = 3;
/** milliseconds between looks for lost jobs */
export const recheckMs = 500;

export function drawGathering(seed: number): GatheringSchedule {
  const random = Random.fromSeed(`gathering ${seed}`);
  const count = 12 + random.integer(20);
  const leaseMs = random.pick([400, 800]);
  const faults = Array.from({ length: 1 + random.integer(4) }, (): TimelyFault => {
    const moment = random.integer(count - 4);
    return { what: random.pick(kinds), moment, length: leaseMs * random.pick([0.5, 1.6, 2.5]) };
  });
  const name = { kind: 'square', run: 'run', policy: 'p', task: 't', shard: 0 };
  return {
    seed,
    leaseMs,
    jobMs: random.pick([2, 10, 30]),
    bound: random.pick([4, 1_000]),
    jobs: Array.from({ length: count }, (_, each) => ({ name: { ...name, seed: each }, input: null })),
    faults: faults.sort((a, b) => a.moment - b.moment),
  };
}

/** What the job of a name results in. */
export function squared({ name: { seed } }: Job): Json {
  return { squared: seed * seed };
}

/** Processes and Redis, real or simulated, in the hands of a schedule. */
export interface Stage {
  readonly queue: JobQueue;
  /** does a fault; resolves once it is under way */
  commit(fault: TimelyFault): Promise<void>;
  /** lets time pass until the answer is yes */
  until(question: () => Promise<boolean>): Promise<void>;
  /** jobs begun by all workers */
  begun(): number;
  end(): Promise<void>;
}

/** How a gathering ended, equal wherever it took place. */
export interface Ending {
  readonly results: readonly Json[];
  readonly conflicts: readonly string[];
  /** jobs left in the queue */
  readonly left: number;
  /** whether jobs were done again no more than faults explain */
  readonly isBounded: boolean;
}

/** Gathers on a stage, again where the trainer is stopped, while the faults come. */
export async function gathered(stage: Stage, schedule: GatheringSchedule): Promise<Ending> {
  const { queue } = stage;
  const { jobs, faults } = schedule;
  const pending = [...faults];
  let results: Json[] | null = null;
  while (!results) {
    const stop = new AbortController();
    let done = 0;
    let isOver = false;
    const report = (count: number): void => void (done = count);
    const gathering = gather(queue, jobs, { signal: stop.signal, recheckMs, report }).then(
      (found) => (results = found),
      (thrown: unknown) => {
        if (!stop.signal.aborted) throw thrown;
      },
    );
    const over = gathering.finally(() => (isOver = true));
    over.catch(() => {});
    while (!isOver) {
      const [next] = pending;
      await stage.until(async () => isOver || (next !== undefined && done >= next.moment));
      if (isOver || !next) break;
      pending.shift();
      if (next.what === 'stop trainer') stop.abort();
      else await stage.commit(next);
      if (stop.signal.aborted) await stage.until(async () => isOver);
    }
    await over;
  }
  const left = async (): Promise<number> => {
    const { waiting, leased } = await queue.counts();
    return waiting + leased;
  };
  await stage.until(async () => (await left()) === 0);
  const most =
    jobs.length * (1 + faults.filter(({ what }) => what === 'kill Redis').length) + 4 * faults.length;
  return {
    results,
    conflicts: await queue.conflicts('run'),
    left: await left(),
    isBounded: stage.begun() <= most,
  };
}
