/** BullMQ and the Redis client: optional peers, loaded only when a queue on Redis is opened. */
import type { Redis } from 'ioredis';
import { EmacError } from '@emac/core';

/** the versions tested together */
const wanted = 'bullmq@6.7.0 ioredis@5.11.1';

/** The BullMQ and ioredis modules. Errors: `unavailable` if one is not installed. */
export async function loadBullmq(): Promise<typeof import('bullmq')> {
  return installed('bullmq', () => import('bullmq'));
}

export async function loadIoredis(): Promise<{ readonly Redis: typeof Redis }> {
  return installed('ioredis', () => import('ioredis'));
}

/** Calls `load`. Errors: `unavailable` if the package is not installed. */
export async function installed<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if (!isNotFound(cause)) throw cause;
    throw new EmacError(
      'unavailable',
      `queue on Redis: needs the package ${name}, which is not installed; run npm install ${wanted}`,
      { cause },
    );
  }
}

function isNotFound(thrown: unknown): boolean {
  return /^(ERR_)?MODULE_NOT_FOUND$/.test(String((thrown as NodeJS.ErrnoException | null)?.code));
}
