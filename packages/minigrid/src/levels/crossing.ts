/**
 * Rivers of lava, or walls, across the whole room at even columns and rows, each with one opening. A way to the goal is
 * drawn first, so that one exists.
 */
import { empty, goal, lava, wall } from '../cell.ts';
import type { World } from '../world.ts';

export interface Crossing {
  readonly rivers: number;
  readonly obstacle: 'lava' | 'wall';
}

interface River {
  readonly isVertical: boolean;
  /** its column or row */
  readonly at: number;
}

export function crossing(world: World, { rivers: count, obstacle }: Crossing): void {
  const { grid, random } = world;
  const { width, height } = grid;
  grid.surround();
  world.putAgent(1, 1);
  grid.set(width - 2, height - 2, goal);
  const possible = [...river(true, height), ...river(false, width)];
  const rivers = random.shuffle(possible).slice(0, count);
  const at = (isVertical: boolean) =>
    rivers.flatMap((each) => (each.isVertical === isVertical ? each.at : [])).sort((a, b) => a - b);
  const [columns, rows] = [at(true), at(false)];
  const cell = obstacle === 'lava' ? lava : wall;
  for (const y of rows) grid.horizontal({ x: 1, y, length: width - 2 }, cell);
  for (const x of columns) grid.vertical({ x, y: 1, length: height - 2 }, cell);
  openWay(world, columns, rows);
  world.mission =
    obstacle === 'lava'
      ? 'avoid the lava and get to the green goal square'
      : 'find the opening and get to the green goal square';
}

function river(isVertical: boolean, side: number): River[] {
  const count = Math.floor((side - 3) / 2);
  return Array.from({ length: count }, (_, n) => ({ isVertical, at: 2 + 2 * n }));
}

/** From the first room to the last: a step to the right crosses a column, a step down crosses a row. */
function openWay({ grid, random }: World, columns: readonly number[], rows: readonly number[]): void {
  const way = random.shuffle([...columns.map(() => 'right'), ...rows.map(() => 'down')]);
  const [x, y] = [
    [0, ...columns, grid.height - 1],
    [0, ...rows, grid.width - 1],
  ];
  let [column, row] = [0, 0];
  const between = (limits: readonly number[], room: number) =>
    random.integers(limits[room]! + 1, limits[room + 1]!);
  for (const step of way)
    if (step === 'right') grid.set(x[++column]!, between(y, row), empty);
    else grid.set(between(x, column), y[++row]!, empty);
}
