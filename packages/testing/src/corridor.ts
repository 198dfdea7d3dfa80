/**
 * A corridor stepped by number: the goal is at its right end and the start is random. Every step has reward 0, the last one 1. A step
 * limit gives both kinds of ends, and random slips make its state matter.
 */
import { EmacError, Random, type RandomState, type Seed, type StepEnvironment } from '@emac/core';

export interface CorridorOptions {
  /** cells, from 0 to the goal; default 5 */
  readonly cells?: number;
  /** step limit before truncation; default 12 */
  readonly limit?: number;
  /** probability of a step in the other direction; default 0 */
  readonly slip?: number;
}

interface CorridorState {
  readonly cell: number;
  readonly steps: number;
  readonly path: string;
  readonly random: RandomState;
}

/** Has the actions `left` and `right`; the observation is `cell`, one number. */
export function corridor({
  cells = 5,
  limit = 12,
  slip = 0,
}: CorridorOptions = {}): StepEnvironment<CorridorState> {
  let random: Random | null = null;
  let [cell, steps] = [0, 0];
  const begun = (): Random => {
    if (random) return random;
    throw new EmacError('internal', 'corridor: reset it with a seed first');
  };
  return {
    id: 'corridor',
    actions: ['left', 'right'],
    reset: (seed: Seed | null) => {
      if (seed !== null) random = Random.fromSeed(String(seed));
      [cell, steps] = [begun().integer(cells - 1), 0];
      return { won: false };
    },
    step: (action) => {
      const way = action === 1 ? 1 : -1;
      const slips = slip > 0 && begun().uniform() < slip;
      cell = Math.min(cells - 1, Math.max(0, cell + (slips ? -way : way)));
      const terminated = cell === cells - 1;
      const truncated = ++steps >= limit;
      return { reward: terminated ? 1 : 0, terminated, truncated, info: { won: terminated } };
    },
    text: () => `You are in cell ${cell} of ${cells}.`,
    observe: () => ({ cell: { shape: [1], data: Int32Array.of(cell) } }),
    frame: () => ({
      width: cells,
      height: 1,
      data: Uint8Array.from({ length: 3 * cells }, (_, place) => (Math.floor(place / 3) === cell ? 255 : 0)),
    }),
    state: () => ({ cell, steps, path: begun().path, random: begun().state() }),
    restore: (state) => {
      [cell, steps, random] = [state.cell, state.steps, Random.restore(state.path, state.random)];
    },
  };
}
