/**
 * The agent's view: 7 × 7 cells, rotated so that the agent looks up from the middle of the lowest row. Cells are
 * counted column by column, as in observations: index = column · 7 + row.
 */
import { blocksSight, cellCount, colourOf, empty, kindOf, stateOf } from './cell.ts';
import { viewSize, type Grid } from './grid.ts';
import { steps, type World } from './world.ts';

export const viewCells = viewSize * viewSize;
const middle = (viewSize - 1) / 2;
const bottom = viewSize - 1;
const own = middle * viewSize + bottom;

const isOpaque = Uint8Array.from({ length: cellCount }, (_, cell) => Number(blocksSight(cell)));

/** For each direction: offsets from the agent to each cell of the view, [49]. */
export type ViewOffsets = readonly Int32Array[];

export function viewOffsets({ stride }: Pick<Grid, 'stride'>): ViewOffsets {
  return steps.map(({ x: dx, y: dy }) =>
    Int32Array.from({ length: viewCells }, (_, index) => {
      const [aside, ahead] = [Math.floor(index / viewSize) - middle, bottom - (index % viewSize)];
      return (dy * ahead + dx * aside) * stride + dx * ahead - dy * aside;
    }),
  );
}

/**
 * Writes 1 for each visible cell of the view, else 0, into `seen` [49]. Sight spreads row by row from the agent, to the
 * right, then to the left, and from each transparent cell to three in the next row.
 */
export function writeSeen(world: World, offsets: ViewOffsets, seen: Uint8Array): void {
  seen.fill(0);
  seen[own] = 1;
  const { cells } = world.grid;
  const base = world.grid.placeOf(world.x, world.y);
  const around = offsets[world.direction]!;
  for (let row = bottom; row >= 0; row--) {
    for (let index = row; index < bottom * viewSize; index += viewSize) {
      if (seen[index] === 0 || isOpaque[cells[base + around[index]!]!]) continue;
      seen[index + viewSize] = 1;
      if (row === 0) continue;
      seen[index + viewSize - 1] = 1;
      seen[index - 1] = 1;
    }
    for (let index = bottom * viewSize + row; index >= viewSize; index -= viewSize) {
      if (seen[index] === 0 || isOpaque[cells[base + around[index]!]!]) continue;
      seen[index - viewSize] = 1;
      if (row === 0) continue;
      seen[index - viewSize - 1] = 1;
      seen[index - 1] = 1;
    }
  }
}

/**
 * The observed image, [column][row][kind, colour, state] of [7, 7, 3]: 0 if not visible; the carried object is in the
 * agent's own cell.
 */
export function viewImage(world: World, offsets: ViewOffsets, seen: Uint8Array): Uint8Array {
  const image = new Uint8Array(viewCells * 3);
  const { cells } = world.grid;
  const base = world.grid.placeOf(world.x, world.y);
  const around = offsets[world.direction]!;
  for (let index = 0; index < viewCells; index++) {
    if (seen[index] === 0) continue;
    const cell = index === own ? (world.carrying ?? empty) : cells[base + around[index]!]!;
    image[index * 3] = kindOf(cell);
    image[index * 3 + 1] = colourOf(cell);
    image[index * 3 + 2] = stateOf(cell);
  }
  return image;
}
