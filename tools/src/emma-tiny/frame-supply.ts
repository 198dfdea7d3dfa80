/** What can be seen while wandering through games. */
import type { Random } from '@emac/core';
import { World, type VisibleState } from '@emac/world';
import { drawGame } from './game-supply.ts';
import { aimlessCommand } from './plays.ts';

/** States met in games, a few from each; `files` are real train games, none: generated ones only. */
export function* wanderedStates(files: readonly string[], random: Random): Generator<VisibleState, never> {
  for (;;) {
    const game = drawGame(files, random);
    for (let visit = 0; visit < 2; visit++) {
      const world = new World(game);
      let { admissible } = world.reset();
      const steps = 4 + random.integer(24);
      for (let step = 0; step < steps; step++) {
        ({ admissible } = world.step(aimlessCommand(admissible, { again: 0 }, random)));
        if (random.uniform() < 0.4) yield world.visible();
      }
    }
  }
}
