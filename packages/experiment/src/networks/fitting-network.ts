/** Refuses what no small network can do, whatever the method. */
import { EmacError } from '@emac/core';
import { isWorded, type Host } from '@emac/opening';
import { isEnvironmentModule, lewisGame, smallNetworkOf, type WorldConfig } from '@emac/settings';

/** A small network reads numbers, and chooses among numbered actions. Errors: `usage`. */
export function requireReadable(env: string, policy: string): void {
  if (!smallNetworkOf({ policy }) || isEnvironmentModule(env) || (env !== lewisGame && !isWorded(env)))
    return;
  throw new EmacError(
    'usage',
    `--policy ${policy}: reads arrays or numbers its actions, but actions of ${env} are words; give a vision-language model`,
  );
}

/** Errors: `usage` for a small network, if clients play. */
export function requireHere({ kind }: WorldConfig, policy: string, method: string): void {
  if (smallNetworkOf({ policy }) && kind !== 'own')
    throw new EmacError(
      'usage',
      `--policy ${policy}: plays in this process with --method ${method}, but with --world ${kind} clients play; give --method ppo`,
    );
}

/** Errors: `usage`. */
export function refuseNetworkWorkers({ workers }: Host): void {
  if (workers)
    throw new EmacError(
      'usage',
      '--queue: a small network plays an episode in less time than a worker needs to get it; leave it out',
    );
}
