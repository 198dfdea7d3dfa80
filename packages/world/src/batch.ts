/**
 * Many games stepped together, in the manner of ALFWorld's batch environment: one command for each, one state for
 * each. A game that is done (won, or at the step limit) answers with its last state unchanged.
 */
import { EmacError } from '@emac/core';
import type { Game } from './game/game.ts';
import { World } from './world.ts';
import type { State } from './world.ts';

export interface BatchOptions {
  /** steps, refused commands included, after which a game ends unwon; none by default */
  readonly maxSteps?: number;
}

export class WorldBatch {
  readonly worlds: readonly World[];
  readonly #maxSteps: number;
  #states: readonly State[] = [];
  #taken = 0;

  constructor(games: Iterable<Game>, { maxSteps = Infinity }: BatchOptions = {}) {
    this.worlds = [...games].map((game) => new World(game));
    this.#maxSteps = maxSteps;
    this.reset();
  }

  /** The states of all games, in their order. */
  get states(): readonly State[] {
    return this.#states;
  }

  get allDone(): boolean {
    return this.#states.every(({ done }) => done);
  }

  /** Every game from its start. */
  reset(): readonly State[] {
    this.#taken = 0;
    return (this.#states = this.worlds.map((world) => world.reset()));
  }

  /** One command for each game; another number of commands is a `usage` error. */
  step(commands: readonly string[]): readonly State[] {
    if (commands.length !== this.worlds.length)
      throw new EmacError(
        'usage',
        `WorldBatch: needs one command for each of ${this.worlds.length} games, got ${commands.length}`,
      );
    const isLast = ++this.#taken >= this.#maxSteps;
    return (this.#states = this.#states.map((state, index) => {
      if (state.done) return state;
      const next = this.worlds[index]!.step(commands[index]!);
      return isLast ? { ...next, done: true } : next;
    }));
  }
}
