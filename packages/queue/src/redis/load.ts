/** BullMQ and the client of Redis: optional peers, loaded when a queue on Redis is opened and not before. */
import type { Redis } from 'ioredis';
import { EmacError } from '@emac/core';

/** what is tested together */
const wanted = 'bullmq@6.7.0 ioredis@5.11.1';

/** The BullMQ and ioredis modules. Errors: `unavailable` where one is not installed. */
export async function loadBullmq(): Promise<typeof import('bullmq')> {
  return installed('bullmq', () => import('bullmq'));
}

export async function loadIoredis(): Promise<{ readonly Redis: typeof Redis }> {
  return installed('ioredis', () => import('ioredis'));
}

/** What `load` gives. Errors: `unavailable` where the package is not installed. */
export async function installed<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if (!isNotFound(cause)) throw cause;
    throw new EmacError(
      'unavailable',
      `queue on Redis: needs the package ${name}, it is not installed; run npm install ${wanted}`,
      { cause },
    );
  }
}

function isNotFound(thrown: unknown): boolean {
  return /^(ERR_)?MODULE_NOT_FOUND$/.test(String((thrown as NodeJS.ErrnoException | null)?.code));
}
