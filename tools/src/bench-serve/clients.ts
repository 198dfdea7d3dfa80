/**
 * Concurrent clients: each has a game, asks for a command, plays it, and begins the next game when one is won or too
 * long.
 */
import { connectPolicy } from '@emac/bridge';
import type { Turn } from '@emac/core';
import { builtinGame, parseGame, renderFrame, World } from '@emac/world';
import { asked, type Asked, type Timed } from '../bench-wire/load.ts';

export interface Load {
  readonly clients: number;
  /** of all clients together */
  readonly steps: number;
  /** whether each question includes the frame */
  readonly withPictures: boolean;
}

const longestGame = 30;

/** Plays the wanted number of steps. */
export function stepped(address: string, load: Load): Promise<Asked> {
  const left = { steps: load.steps };
  return asked(load.clients, (place, timed) => client(address, { ...load, place, left, timed }));
}

interface Client extends Load {
  readonly place: number;
  /** steps not begun yet */
  readonly left: { steps: number };
  readonly timed: Timed;
}

async function client(address: string, { place, withPictures, left, timed }: Client): Promise<void> {
  const policy = connectPolicy(address);
  for (let game = place; left.steps > 0; game++) {
    const { id, file } = builtinGame('train', game % 200);
    const world = new World(parseGame(file, { id }));
    let state = world.reset();
    const initial = state.observation;
    const turns: Turn[] = [];
    while (!state.won && turns.length < longestGame && left.steps > 0) {
      left.steps--;
      const frames = withPictures ? [renderFrame(world.visible())] : [];
      const { command } = await timed(() =>
        policy.act({ history: { initial, turns: [...turns] }, frames, admissible: null }),
      );
      state = world.step(command);
      turns.push({ command, observation: state.observation });
    }
  }
}
