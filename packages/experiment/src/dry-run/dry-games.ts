/** Games of a dry run. */
import { EmacError, invariant } from '@emac/core';
import { World, type Game } from '@emac/world';
import type { WorldConfig } from '../config/world-config.ts';

/** Errors: `usage`. */
export function refuseRemote({ world }: { readonly world: WorldConfig }): void {
  if (world.kind === 'http')
    throw new EmacError(
      'usage',
      '--dry-run: looks into game files, which --world http does not have; leave one out',
    );
}

/** Commands of a shortest win of each game; one that nothing is known of takes a single step. */
export function shortestOf(games: readonly Game[]): number[] {
  return games.map((game) => {
    const world = new World(game);
    world.reset();
    return world.shortestPlan()?.length ?? 1;
  });
}

export function firstOf(games: readonly Game[]): Game {
  const [game] = games;
  invariant(game, 'dry run: there is no game');
  return game;
}
