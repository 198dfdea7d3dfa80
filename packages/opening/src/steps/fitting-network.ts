/** Refuses what no small network can do, before anything is opened. */
import { EmacError } from '@emac/core';
import { lewisGame, smallNetworkOf, type WorldConfig } from '@emac/settings';
import { isSeenWhenOpened, isWorded } from '../environments/kind-of.ts';
import type { Host } from '../host.ts';

interface Judged {
  readonly env: string;
  readonly policy: string;
}

/** A small network reads numbers, and chooses among numbered actions. Errors: `usage`. */
export function requireReadable({ env, policy }: Judged): void {
  if (!smallNetworkOf({ policy }) || isSeenWhenOpened(env) || (env !== lewisGame && !isWorded(env))) return;
  throw new EmacError(
    'usage',
    `--policy ${policy}: reads arrays or numbers its actions, but actions of ${env} are words; give a vision-language model`,
  );
}

/** In whole episodes a small network plays in this process. Errors: those of `requireReadable`; `usage` if clients or workers play. */
export function requireEpisodesHere(
  { world, ...judged }: Judged & { readonly world: WorldConfig },
  method: string,
  { workers }: Pick<Host, 'workers'>,
): void {
  requireReadable(judged);
  if (!smallNetworkOf(judged)) return;
  if (world.kind !== 'own')
    throw new EmacError(
      'usage',
      `--policy ${judged.policy}: plays in this process with --method ${method}, but with --world ${world.kind} clients play; give --method ppo`,
    );
  if (workers)
    throw new EmacError(
      'usage',
      '--queue: a small network plays an episode in less time than a worker needs to get it; leave it out',
    );
}
