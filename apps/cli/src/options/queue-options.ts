/** Flags of everything that puts work into a queue or takes them out, and what they open. */
import { EmacError } from '@emac/core';
import type { Workers } from '@emac/experiment';
import type { QueueSettings } from '@emac/queue';
import type { Io } from '../terminal/io.ts';
import { text } from './option.ts';

const shared =
  'a folder that this machine shares with the others: parameters, games, episodes and answers pass through it';

/** Who plays for a command. */
export const queueOptions = {
  queue: text({
    help: 'redis://HOST:PORT or rediss://: workers play for it, each started with emac worker; needs --shared',
    default: null,
    defaultText: 'local, this process plays itself',
  }),
  shared: text({ help: `--queue: ${shared}`, default: null }),
};

/** Of a worker itself, which needs both. */
export const sharedHelp = shared;

export interface OpenWorkers {
  /** absent where this process plays itself */
  readonly workers?: Workers;
  close(): Promise<void>;
}

/** Opens folder and queue. Errors: `usage`; those of the folder; `unavailable`, `config` as `bullQueue`. */
export async function openWorkers(
  { queue, shared: path }: { readonly queue: string | null; readonly shared: string | null },
  { env }: Pick<Io, 'env'>,
  settings: QueueSettings = {},
): Promise<OpenWorkers> {
  if (queue === null || queue === 'local') {
    if (path !== null)
      throw new EmacError('usage', '--shared: belongs to --queue redis://HOST:PORT, which was not given');
    return { close: async () => {} };
  }
  if (path === null)
    throw new EmacError('usage', `--queue: needs --shared with ${shared}; give it, the same to every worker`);
  const { sharedFolder } = await import('@emac/queue');
  const folder = sharedFolder(path);
  const opened = await openQueue(queue, env, settings);
  return { workers: { queue: opened, folder }, close: () => opened.close() };
}

/** A queue on Redis; a password that is not in the address is that of EMAC_QUEUE_PASSWORD. Errors: as `bullQueue`. */
export async function openQueue(address: string, env: Io['env'], settings: QueueSettings = {}) {
  const { bullQueue } = await import('@emac/queue');
  const password = env['EMAC_QUEUE_PASSWORD'];
  const url = URL.canParse(address) ? new URL(address) : null;
  if (!url || !password || url.password !== '') return bullQueue(address, settings);
  // a % of the password is no escape
  url.password = encodeURIComponent(password);
  return bullQueue(url.href, settings);
}
