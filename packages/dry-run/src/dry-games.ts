/** Games of a dry run. */
import { EmacError } from '@emac/core';
import type { RunPlay } from '@emac/opening';
import type { WorldConfig } from '@emac/settings';

/** Errors: `usage`. */
export function refuseRemote({ world }: { readonly world?: { readonly kind?: WorldConfig['kind'] } }): void {
  if (world?.kind === 'http')
    throw new EmacError('usage', '--dry-run: reads game files, but --world http has none; leave one out');
}

/** Commands of a shortest win of each task; one step if nothing is known. */
export function shortestOf({ tasks, kind }: Pick<RunPlay, 'tasks' | 'kind'>): number[] {
  return tasks().map((task) => kind?.shortest?.(task) ?? 1);
}
