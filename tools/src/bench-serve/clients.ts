/** Clients that step at once: each has a game, asks for a command, gives it to the game, and begins the next one when it is won or long. */
import { performance } from 'node:perf_hooks';
import { connectPolicy } from '@emac/bridge';
import type { Turn } from '@emac/core';
import { builtinGame, parseGame, renderFrame, World } from '@emac/world';

export interface Load {
  readonly clients: number;
  /** of all clients together */
  readonly steps: number;
  /** each question comes with the frame */
  readonly withPictures: boolean;
}

export interface Stepped {
  readonly stepsPerSecond: number;
  /** of a question, from its sending to its answer */
  readonly medianMs: number;
  readonly p99Ms: number;
}

const longestGame = 30;

/** Steps until there are as many as wanted. */
export async function stepped(address: string, load: Load): Promise<Stepped> {
  const times: number[] = [];
  const left = { steps: load.steps };
  const start = performance.now();
  await Promise.all(
    Array.from({ length: load.clients }, (_, place) => client(address, { ...load, place, left, times })),
  );
  const seconds = (performance.now() - start) / 1000;
  times.sort((a, b) => a - b);
  return {
    stepsPerSecond: times.length / seconds,
    medianMs: times[Math.floor(times.length / 2)]!,
    p99Ms: times[Math.floor(times.length * 0.99)]!,
  };
}

interface Client extends Load {
  readonly place: number;
  /** steps that nobody has begun yet */
  readonly left: { steps: number };
  readonly times: number[];
}

async function client(address: string, { place, withPictures, left, times }: Client): Promise<void> {
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
      const start = performance.now();
      const { command } = await policy.act({
        history: { initial, turns: [...turns] },
        frames,
        admissible: null,
      });
      times.push(performance.now() - start);
      state = world.step(command);
      turns.push({ command, observation: state.observation });
    }
  }
}
