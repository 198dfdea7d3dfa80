/** Proofs on a game file: its walkthrough wins, and how far that is from the shortest win. */
import { messageOf } from '@emac/core';
import { World } from '../world.ts';
import { loadGame } from './load-game.ts';

export interface Verification {
  readonly path: string;
  /** null: the game is as it should be */
  readonly fault: string | null;
  /** commands; null without a walkthrough */
  readonly walkthrough: number | null;
  /** commands of a shortest win; null if the planner does not know the goal's form */
  readonly shortest: number | null;
}

/**
 * Loads a game and plays it: every walkthrough command must be admissible, and the last one must win; the same for the
 * planner's commands. Never throws for a damaged file, but reports a fault.
 */
export function verifyGame(path: string): Verification {
  try {
    const game = loadGame(path);
    const world = new World(game);
    const plan = world.shortestPlan();
    const faults = [
      ...(game.walkthrough ? playFault(world, game.walkthrough, 'walkthrough') : []),
      ...(plan ? playFault(world, plan, 'plan') : []),
    ];
    return {
      path,
      fault: faults[0] ?? null,
      walkthrough: game.walkthrough?.length ?? null,
      shortest: plan?.length ?? null,
    };
  } catch (error) {
    return { path, fault: messageOf(error), walkthrough: null, shortest: null };
  }
}

function playFault(world: World, commands: readonly string[], what: string): string[] {
  world.reset();
  for (const [index, command] of commands.entries()) {
    if (world.won) return [`its ${what} wins before the command '${command}'`];
    if (world.perform(command) === null)
      return [`its ${what} has '${command}' as command ${index + 1}, which is refused`];
  }
  return world.won ? [] : [`its ${what} does not win`];
}
