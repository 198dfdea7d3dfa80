/** BullMQ's queue and worker, as far as the queue uses them, over simulated connections. */
import type { RedisParts } from '@emac/queue/parts';
import type { Connection } from './connection.ts';
import { keyOf, type JobRecord, type Scripts } from './scripts.ts';
import { queueName } from './server.ts';
import type { Thread } from './world.ts';

type Bull = RedisParts['bull'];

export interface BullParts {
  readonly thread: Thread;
  readonly main: Connection;
  /** of the waiting for jobs */
  readonly blocking: Connection;
  readonly limits: RedisParts['limits'];
  /** unique among workers */
  readonly id: string;
}

/** milliseconds an idle worker waits for a job */
const idleMs = 1_000;

export function simulatedBull(parts: BullParts): Bull {
  const ask = <T>(run: (scripts: Scripts) => T): Promise<T> =>
    parts.main.ask((server) => run(server.scripts));
  const queue = {
    toKey: (id: string) => keyOf(queueName, id),
    addBulk: (
      jobs: readonly { data: unknown; opts: { readonly jobId: string; readonly attempts: number } }[],
    ) =>
      ask(({ add }) =>
        add(
          jobs.map(({ data, opts: { jobId: id, attempts } }) => ({
            id,
            data: JSON.stringify(data),
            attempts,
          })),
        ),
      ),
    getWaitingCount: () => ask(({ list }) => list('wait').length),
    getJobCounts: () => ask(({ list }) => ({ waiting: list('wait').length, active: list('active').length })),
    getRanges: (kinds: readonly ('wait' | 'active')[]) =>
      ask(({ list }) => kinds.flatMap((kind) => list(kind))),
    remove: (id: string) => ask(({ remove }) => remove(id)),
    close: async () => {},
  };
  return { queue, worker: simulatedWorker(parts, ask) } as unknown as Bull;
}

type Ask = <T>(run: (scripts: Scripts) => T) => Promise<T>;

function simulatedWorker({ thread, blocking, limits, id }: BullParts, ask: Ask) {
  let isDrained = false;
  let isClosing = false;
  const checkEvery = Math.max(1, Math.ceil(limits.leaseMs / 2));
  const check = async (): Promise<void> => {
    await ask(({ moveStalledToWait }) => moveStalledToWait(limits.losses - 1, checkEvery));
    if (!isClosing) thread.after(checkEvery, () => void check().catch(() => {}));
  };
  return {
    id,
    async startStalledCheckTimer() {
      void check().catch(() => {});
    },
    async getNextJob(token: string) {
      if (isClosing) return undefined;
      if (isDrained)
        await blocking.call((server, answer) => server.takeMark(server.scripts.marker, idleMs, answer));
      const record = await ask(({ moveToActive }) => moveToActive(token, limits.leaseMs));
      isDrained = record === null;
      return record ? heldJob(record, ask) : undefined;
    },
    async close() {
      isClosing = true;
      blocking.close();
    },
  };
}

/** A job in a worker's hands. */
function heldJob({ id, data, attempts, attemptsMade, stalledCounter, deferredFailure }: JobRecord, ask: Ask) {
  const ended = async (end: (scripts: Scripts) => number): Promise<void> => {
    const code = await ask(end);
    if (code < 0) throw Object.assign(new Error(`BullMQ refuses with ${code}`), { code });
  };
  return {
    id,
    data: JSON.parse(data) as unknown,
    attemptsMade,
    stalledCounter,
    deferredFailure: deferredFailure ? 'job stalled more than allowable limit' : undefined,
    extendLock: (token: string, ms: number) => ask(({ extendLock }) => extendLock(id, token, ms)),
    moveToCompleted: (_result: null, token: string) =>
      ended(({ moveToFinished }) => moveToFinished(id, token)),
    moveToFailed: (_fault: Error, token: string) =>
      ended(({ moveToFinished, retry }) =>
        attemptsMade + 1 < attempts ? retry(id, token) : moveToFinished(id, token),
      ),
    moveToWait: (token: string) => ended(({ moveToWait }) => moveToWait(id, token)),
  };
}
