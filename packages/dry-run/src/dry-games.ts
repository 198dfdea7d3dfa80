/** Games of a dry run. */
import { EmacError } from '@emac/core';
import type { RunPlay } from '@emac/opening';
import type { WorldConfig } from '@emac/settings';
import { World } from '@emac/world';

/** Errors: `usage`. */
export function refuseRemote({ world }: { readonly world?: { readonly kind?: WorldConfig['kind'] } }): void {
  if (world?.kind === 'http')
    throw new EmacError('usage', '--dry-run: reads game files, but --world http has none; leave one out');
}

/** Commands of a shortest win of each task; one step if nothing is known. */
export function shortestOf({ tasks, games }: Pick<RunPlay, 'tasks' | 'games'>): number[] {
  if (games.length === 0) return tasks().map(() => 1);
  return games.map((game) => {
    const world = new World(game);
    world.reset();
    return world.shortestPlan()?.length ?? 1;
  });
}
