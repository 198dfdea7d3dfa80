/** Flags of commands that queue jobs or run them, and the connections they open. */
import { EmacError } from '@emac/core';
import type { Workers } from '@emac/opening';
import type { BullQueueOptions } from '@emac/queue';
import { counted } from '../terminal/amounts.ts';
import type { Io } from '../terminal/io.ts';
import { text } from './option.ts';

const shared = 'folder shared with the other machines, for parameters, games, episodes and answers';

/** Options of a command with optional workers. */
export const queueOptions = {
  queue: text({
    help: 'queue address, redis://HOST:PORT or rediss://: processes of emac worker do the playing; needs --shared',
    default: null,
    defaultText: 'local, without workers',
  }),
  shared: text({ help: `--queue: ${shared}`, default: null }),
};

/** The same for a training command. */
export const learningQueueOptions = {
  ...queueOptions,
  queue: text({
    help: 'queue address, redis://HOST:PORT or rediss://: processes of emac worker play, answer and, with --gradient-shards, compute gradients; needs --shared',
    default: null,
    defaultText: 'local, without workers',
  }),
};

/** For the worker command: it needs both flags. */
export const sharedHelp = shared;

export interface OpenWorkers {
  /** absent without a queue: this process plays */
  readonly workers?: Workers;
  close(): Promise<void>;
}

export interface QueueValues {
  readonly queue: string | null;
  readonly shared: string | null;
}

/** The same flags for another process. */
export function queueFlags({ queue, shared: path }: QueueValues): string[] {
  return [...(queue === null ? [] : ['--queue', queue]), ...(path === null ? [] : ['--shared', path])];
}

/** Opens folder and queue. Errors: `usage`; errors of the folder; `unavailable`, `config`, `interrupted` as `bullQueue`. */
export async function openWorkers(
  values: QueueValues,
  { env }: Pick<Io, 'env'>,
  settings: BullQueueOptions = {},
): Promise<OpenWorkers> {
  const places = placesOf(values);
  if (places === null) return { close: async () => {} };
  const { sharedFolder } = await import('@emac/queue');
  const folder = sharedFolder(places.shared);
  const opened = await openQueue(places.queue, env, settings);
  return { workers: { queue: opened, folder }, close: () => opened.close() };
}

export interface ForWorkers {
  readonly values: QueueValues;
  readonly io: Pick<Io, 'env'>;
  readonly settings?: BullQueueOptions;
}

/** The result of `done`. Queue and folder stay open until it ends or throws. Errors: as `openWorkers`; errors of `done`. */
export async function withWorkers<T>(
  { values, io, settings = {} }: ForWorkers,
  done: (workers: Workers | undefined) => Promise<T>,
): Promise<T> {
  const { workers, close } = await openWorkers(values, io, settings);
  try {
    return await done(workers);
  } finally {
    await close();
  }
}

/** For a dry run: checks queue and folder and names the workers in a sentence; null without a queue. Creates nothing. Errors: as `openWorkers`. */
export async function checkWorkers(values: QueueValues, { env }: Pick<Io, 'env'>): Promise<string | null> {
  const places = placesOf(values);
  if (places === null) return null;
  const { trySharedFolder } = await import('@emac/queue');
  trySharedFolder(places.shared);
  const opened = await openQueue(places.queue, env);
  try {
    const count = (await opened.workers()).length;
    const there = count === 0 ? 'no worker is running yet' : `${counted(count, 'worker')} running`;
    return `queue: Redis answers, ${places.shared} is writable, ${there}`;
  } finally {
    await opened.close();
  }
}

/** Null without a queue. Errors: `usage` for one of the two flags without the other. */
function placesOf({ queue, shared: path }: QueueValues): { queue: string; shared: string } | null {
  if (queue === null || queue === 'local') {
    if (path !== null)
      throw new EmacError('usage', '--shared: belongs to --queue redis://HOST:PORT, which was not given');
    return null;
  }
  if (path === null)
    throw new EmacError('usage', `--queue: needs --shared with ${shared}; give it, the same to every worker`);
  return { queue, shared: path };
}

/** A queue on Redis; its password comes from the address, else from EMAC_QUEUE_PASSWORD. Errors: as `bullQueue`. */
export async function openQueue(address: string, env: Io['env'], settings: BullQueueOptions = {}) {
  const { bullQueue } = await import('@emac/queue');
  const password = env['EMAC_QUEUE_PASSWORD'];
  const url = URL.canParse(address) ? new URL(address) : null;
  if (!url || !password || url.password !== '') return bullQueue(address, settings);
  // a % in the password is no escape
  url.password = encodeURIComponent(password);
  return bullQueue(url.href, settings);
}
