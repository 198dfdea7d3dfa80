/**
 * A level while it is made and played: grid, agent and what it carries, the generator, and what the mission asks for. Whatever is put
 * down at random draws x, then y, until the cell is free, in the published order.
 */
import { EmacError } from '@emac/core';
import type { NumpyRandom } from '@emac/numpy-random';
import { empty, sortedColours, type Cell, type Colour } from './cell.ts';
import { Grid, type Rectangle } from './grid.ts';

/** What ends an episode, beside the goal square and lava. A place is a cell's index in the grid. */
export type Aim =
  | { readonly kind: 'goal' }
  /** the mission names a thing; whatever is carried ends it */
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
  /** where to look; the whole grid by default. What lies outside the grid is cut off */
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
  /** the agent's cell; outside the grid while there is none */
  x = -1;
  y = -1;
  /** 0 right, 1 down, 2 left, 3 up */
  direction = 0;
  /** null where nothing is carried */
  carrying: Cell | null = null;
  /** actions since the episode began */
  taken = 0;
  mission = '';
  aim: Aim = { kind: 'goal' };

  constructor(size: { readonly width: number; readonly height: number }, random: NumpyRandom) {
    this.grid = new Grid(size.width, size.height);
    this.random = random;
  }

  /** Where the agent would go. */
  get front(): Point {
    const { x, y } = steps[this.direction]!;
    return { x: this.x + x, y: this.y + y };
  }

  /** Puts the agent somewhere without drawing. */
  putAgent(x: number, y: number, direction = 0): void {
    [this.x, this.y, this.direction] = [x, y, direction];
  }

  /** Puts a thing into a free cell; null, and nothing put, where none was found in so many tries. */
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

  /** The same. Errors: `internal` where none was found, which the published package gives up on, too. */
  place(thing: Cell, placing: Placing = {}): Point {
    const point = this.tryToPlace(thing, placing);
    if (point) return point;
    throw new EmacError(
      'internal',
      `minigrid: no free cell found in ${placing.tries} tries; take another seed`,
    );
  }

  /** Puts the agent into a free cell, then draws where it looks. */
  placeAgent(placing: Placing = {}): void {
    [this.x, this.y] = [-1, -1];
    const { x, y } = this.place(empty, placing);
    this.putAgent(x, y, this.random.integers(0, 4));
  }

  drawColour(): Colour {
    return this.random.choice(sortedColours);
  }
}
