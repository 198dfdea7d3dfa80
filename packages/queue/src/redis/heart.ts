/**
 * A worker's heart on Redis: a separate thread and connection. So a handler that blocks the main thread for a minute
 * loses neither its lease nor its place in the list of workers. A process that is frozen as a whole loses both.
 */
import { once, type EventEmitter } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Redis } from 'ioredis';
import { EmacError } from '@emac/core';
import type { Heart, Lease, WorkerReport } from '../queue.ts';
import type { RedisPlace } from './place.ts';

export interface HeartSettings extends Pick<RedisPlace, 'url' | 'ca'> {
  /** of the queue */
  readonly name: string;
  readonly leaseMs: number;
  /** milliseconds between beats */
  readonly every: number;
  /** of the keys of the workers */
  readonly prefix: string;
}

/** Starts the thread with these data, which sends and takes the messages of `worker/beating.mjs`. */
export type HeartThread = (
  data: HeartSettings & { readonly report: WorkerReport },
) => EventEmitter & Pick<Worker, 'postMessage' | 'terminate'>;

export interface HeartParts {
  readonly settings: HeartSettings;
  readonly thread: HeartThread;
  /** gives up when the main connection has */
  readonly hoped: <T>(answer: Promise<T>) => Promise<T>;
}

const module = new URL('../../worker/heart.mjs', import.meta.url);

/** A thread of Node's. */
export const heartThread: HeartThread = (workerData) => new Worker(module, { workerData });

/** Starts the thread; resolves once the worker is in the list. Errors: `unavailable`. */
export async function startHeart(
  report: WorkerReport,
  { settings, thread: begin, hoped }: HeartParts,
): Promise<Heart> {
  const thread = begin({ ...settings, report });
  const held = new Map<string, AbortController>();
  let fault: EmacError | null = null;
  const fail = (what: string, cause?: unknown): void => {
    fault ??= new EmacError('unavailable', `worker ${report.id}: cannot renew its leases: ${what}`, {
      cause,
    });
    for (const lost of held.values()) lost.abort(fault);
  };
  const check = (): void => {
    if (fault) throw fault;
  };
  let isStopping = false;
  thread.on('error', (cause: Error) => fail(cause.message, cause));
  thread.on('exit', () => isStopping || fail('its thread has ended'));
  thread.on('message', ({ lost }: { lost?: string }) => held.get(lost ?? '')?.abort());
  const begun = Promise.race([once(thread, 'message'), once(thread, 'exit')]).then(check, check);
  try {
    await hoped(begun);
  } catch (thrown) {
    isStopping = true;
    await thread.terminate();
    throw thrown;
  }
  return {
    check,
    report: (said) => thread.postMessage({ report: said }),
    hold(lease) {
      const lost = new AbortController();
      held.set(keyOf(lease), lost);
      thread.postMessage({ hold: { id: lease.id, token: lease.token, key: keyOf(lease) } });
      return lost.signal;
    },
    release(lease) {
      held.delete(keyOf(lease));
      thread.postMessage({ release: keyOf(lease) });
    },
    async stop() {
      if (fault || isStopping) return;
      isStopping = true;
      const ended = once(thread, 'exit');
      // by itself it might live on: after a cut, the client's timer runs for 20 s
      thread.on('message', (message: object) => 'ended' in message && void thread.terminate());
      thread.postMessage({ stop: true });
      await ended;
    },
  };
}

function keyOf({ id, token }: Lease): string {
  return `${id} ${token}`;
}

/** The latest reports of the hearts under a prefix; stopped hearts are excluded. */
export async function beatingHearts(redis: Redis, prefix: string): Promise<WorkerReport[]> {
  const ids = (await redis.smembers(prefix)).sort();
  if (ids.length === 0) return [];
  const texts = await redis.mget(...ids.map((id) => `${prefix}:${id}`));
  const gone = ids.filter((_, index) => texts[index] === null);
  if (gone.length > 0) await redis.srem(prefix, ...gone);
  return texts.flatMap((text, place) => (typeof text === 'string' ? reportIn(text, ids[place]!) : []));
}

/** Nothing for a text that is no report: another program wrote it. */
function reportIn(text: string, id: string): WorkerReport[] {
  try {
    const report = JSON.parse(text) as WorkerReport | null;
    return report?.id === id ? [report] : [];
  } catch {
    return [];
  }
}
