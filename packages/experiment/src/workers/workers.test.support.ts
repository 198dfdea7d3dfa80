/** Workers in this process, with their own queue and folder. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { plainHost, type GivenEnvironment, type Workers } from '@emac/opening';
import { localQueue, sharedFolder, timerClock, type JobQueue, type WorkerSummary } from '@emac/queue';
import { work } from '../work.ts';

export interface LocalWorkers extends Workers {
  /** their reports of finished jobs */
  readonly said: readonly string[];
  /** lets them end; returns each one's summary */
  stop(): Promise<WorkerSummary[]>;
  /** how each has ended, once they have */
  ended(): Promise<PromiseSettledResult<WorkerSummary>[]>;
}

export interface TheirPlace {
  /** another folder that they look into */
  readonly theirs?: string;
  /** the environment on their command lines */
  readonly environment?: GivenEnvironment;
  /** each ends after this many jobs */
  readonly jobs?: number;
  /** queue of other workers; default: a new one */
  readonly queue?: JobQueue;
}

/** `count` workers on a queue of this process. */
export function localWorkers(
  folder: string,
  count: number,
  { theirs, environment, jobs = Infinity, queue: given }: TheirPlace = {},
): LocalWorkers {
  const queue = given ?? localQueue({ clock: timerClock(() => performance.now()) });
  const shared = { queue, folder: sharedFolder(join(folder, `shared-${count}`)) };
  const looksInto = theirs === undefined ? {} : { folder: sharedFolder(theirs) };
  const end = new AbortController();
  const host = { ...plainHost(), ...(environment && { environment }) };
  const said: string[] = [];
  const working = Array.from({ length: count }, (_, place) => {
    let left = jobs;
    const own = new AbortController();
    const signal = AbortSignal.any([end.signal, own.signal]);
    return work({
      ...shared,
      ...looksInto,
      identity: { id: given ? `other-${place}` : `worker-${place}`, host: 'here', pid: place },
      host: { ...host, signal },
      did: (job) => {
        said.push(job);
        if (--left === 0) own.abort();
      },
    });
  });
  return {
    ...shared,
    said,
    async stop() {
      end.abort();
      return Promise.all(working);
    },
    ended: () => Promise.allSettled(working),
  };
}

/** Contents by name, of everything below a folder that holds no clock. */
export function contents(place: string, isTimeless: (name: string) => boolean): Record<string, string> {
  const names = readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(place.length + 1))
    .filter(isTimeless)
    .sort();
  const hash = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(place, name)))
      .digest('hex');
  return Object.fromEntries(names.map((name) => [name, hash(name)]));
}

/** The queue of workers with some of its verbs replaced. */
export function watched({ queue }: Pick<Workers, 'queue'>, verbs: Partial<JobQueue>): JobQueue {
  return new Proxy(queue, {
    get(target, name: keyof JobQueue) {
      const verb: unknown = verbs[name] ?? Reflect.get(target, name);
      return typeof verb === 'function' ? (verb.bind(target) as unknown) : verb;
    },
  });
}

/** The queue of workers, where another worker of another kind hands in each finished job too. */
export function disputed(workers: Pick<Workers, 'queue'>): JobQueue {
  const { queue } = workers;
  return watched(workers, {
    async outcomes(ids) {
      const outcomes = await queue.outcomes(ids);
      for (const id of ids.filter((_, place) => outcomes[place])) {
        const [kind, run, policy, task, seed] = id.split('/').map(decodeURIComponent);
        const name = { kind: kind!, run: run!, policy: policy!, task: task!, seed: Number(seed), shard: 0 };
        const lease = { id, job: { name, input: null }, token: 'x', attempt: 1, versions: null };
        await queue.acknowledge(lease, { episode: 'another' });
      }
      return outcomes;
    },
  });
}
