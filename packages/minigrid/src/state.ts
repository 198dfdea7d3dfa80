/** A level in the middle of an episode as plain data, and back. */
import { EmacError } from '@emac/core';
import { NumpyRandom, type NumpyRandomState } from '@emac/numpy-random';
import { designOf } from './catalogue.ts';
import type { Cell } from './cell.ts';
import { World, type Aim } from './world.ts';

export interface MiniGridState {
  readonly id: string;
  /** step limit of the episode */
  readonly maxSteps: number;
  readonly random: NumpyRandomState;
  /** row by row: kind + 16 · colour + 256 · state of each cell, by their published indices */
  readonly cells: readonly Cell[];
  /** column, row and direction: 0 right, 1 down, 2 left, 3 up */
  readonly agent: readonly [number, number, number];
  readonly carrying: Cell | null;
  readonly taken: number;
  readonly mission: string;
  /** its places count the margin of six walls around the grid */
  readonly aim: Aim;
}

export function stateOf(
  world: World,
  { id, maxSteps }: Pick<MiniGridState, 'id' | 'maxSteps'>,
): MiniGridState {
  const { x, y, direction, carrying, taken, mission, aim } = world;
  const [random, cells] = [world.random.state(), world.grid.rows()];
  return { id, maxSteps, random, cells, agent: [x, y, direction], carrying, taken, mission, aim };
}

/** Errors: `data` if the number of cells does not fit the id. */
export function worldOf(state: MiniGridState): World {
  const design = designOf(state.id);
  const [found, wanted] = [state.cells.length, design.width * design.height];
  if (found !== wanted)
    throw new EmacError('data', `minigrid: a state of ${state.id} has ${wanted} cells, this one ${found}`);
  const world = new World(design, NumpyRandom.restore(state.random));
  world.grid.fill(state.cells);
  world.putAgent(...state.agent);
  const { carrying, taken, mission, aim } = state;
  return Object.assign(world, { carrying, taken, mission, aim });
}
