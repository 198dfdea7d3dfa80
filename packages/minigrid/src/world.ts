/**
 * A level during construction and play: grid, agent and carried object, generator, and mission. A random placement
 * draws x, then y, until the cell is free, as published.
 */
import { EmacError } from '@emac/core';
import type { NumpyRandom } from '@emac/numpy-random';
import { empty, sortedColours, type Cell, type Colour } from './cell.ts';
import { Grid, type Rectangle } from './grid.ts';

/** Ends of an episode besides the goal square and lava. A place is a cell's index in the grid. */
export type Aim =
  | { readonly kind: 'goal' }
  /** the mission names an object; carrying any object ends it */
  | { readonly kind: 'fetch'; readonly thing: Cell }
  | { readonly kind: 'pick-up'; readonly thing: Cell }
  | { readonly kind: 'open'; readonly door: number }
  | { readonly kind: 'open-in-order'; readonly first: number; readonly second: number }
  /** obstacles move at random before the agent acts; running into them or a wall ends it */
  | { readonly kind: 'dodge'; readonly obstacles: readonly number[] };

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Placing {
  /** area to search; default the whole grid. It is clipped to the grid */
  readonly within?: Rectangle;
  readonly refuses?: (point: Point) => boolean;
  /** cells to look at before giving up, less one */
  readonly tries?: number;
}

/** Right, down, left, up. */
export const steps: readonly Point[] = [
  { x: 1, y: 0 },
  { x: 0, y: 1 },
  { x: -1, y: 0 },
  { x: 0, y: -1 },
];

export class World {
  readonly grid: Grid;
  readonly random: NumpyRandom;
  /** the agent's cell; outside the grid until placed */
  x = -1;
  y = -1;
  /** 0 right, 1 down, 2 left, 3 up */
  direction = 0;
  /** null if it carries nothing */
  carrying: Cell | null = null;
  /** actions since the episode began */
  taken = 0;
  mission = '';
  aim: Aim = { kind: 'goal' };

  constructor(size: { readonly width: number; readonly height: number }, random: NumpyRandom) {
    this.grid = new Grid(size.width, size.height);
    this.random = random;
  }

  /** The cell ahead of the agent. */
  get front(): Point {
    const { x, y } = steps[this.direction]!;
    return { x: this.x + x, y: this.y + y };
  }

  /** Puts the agent somewhere without drawing. */
  putAgent(x: number, y: number, direction = 0): void {
    [this.x, this.y, this.direction] = [x, y, direction];
  }

  /** Places an object in a free cell; null, without placing, if so many tries find none. */
  tryToPlace(thing: Cell, { within, refuses, tries = Infinity }: Placing = {}): Point | null {
    const { grid, random } = this;
    const { x, y, width, height } = within ?? { x: 0, y: 0, width: grid.width, height: grid.height };
    const [left, top] = [Math.max(x, 0), Math.max(y, 0)];
    for (let tried = 0; tried <= tries; tried++) {
      const point = {
        x: random.integers(left, Math.min(left + width, grid.width)),
        y: random.integers(top, Math.min(top + height, grid.height)),
      };
      if (grid.at(point.x, point.y) !== empty) continue;
      if (point.x === this.x && point.y === this.y) continue;
      if (refuses?.(point)) continue;
      grid.set(point.x, point.y, thing);
      return point;
    }
    return null;
  }

  /** The same. Errors: `internal` if there is none; the published package gives up, too. */
  place(thing: Cell, placing: Placing = {}): Point {
    const point = this.tryToPlace(thing, placing);
    if (point) return point;
    throw new EmacError(
      'internal',
      `minigrid: no free cell found in ${placing.tries} tries; take another seed`,
    );
  }

  /** Places the agent in a free cell, then draws its direction. */
  placeAgent(placing: Placing = {}): void {
    [this.x, this.y] = [-1, -1];
    const { x, y } = this.place(empty, placing);
    this.putAgent(x, y, this.random.integers(0, 4));
  }

  drawColour(): Colour {
    return this.random.choice(sortedColours);
  }
}
