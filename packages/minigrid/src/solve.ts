/**
 * The shortest way to win a level, by breadth-first search with everything in view: of the shortest sequences of actions the first by
 * number. Three things that never help are not tried: to close a door, to open a box, and to drop something while a locked door
 * is left. Obstacles that move are taken to stand still, so solve again after each step where there are some.
 */
import { isOpenDoor, kindOf, kinds, doorStates, stateOf, type Cell } from './cell.ts';
import type { MiniGrid } from './minigrid.ts';
import { act, actions } from './rules.ts';
import { worldOf } from './state.ts';
import type { World } from './world.ts';

/** A place whose cell is not what it was where the search began. */
type Change = readonly [place: number, cell: Cell];

interface Node {
  readonly x: number;
  readonly y: number;
  readonly direction: number;
  readonly carrying: Cell | null;
  /** sorted by place */
  readonly changes: readonly Change[];
  /** what led here; null at the beginning */
  readonly before: { readonly node: Node; readonly action: number } | null;
}

const tried = [actions.left, actions.right, actions.forward, actions.pickUp, actions.drop, actions.toggle];

/** Actions from where the environment stands now, which is left as it is; null where there is no way. */
export function solve(environment: Pick<MiniGrid, 'state' | 'actions'>): number[] | null {
  const world = worldOf(environment.state());
  if (world.aim.kind === 'dodge') world.aim = { kind: 'goal' };
  const start = world.grid.cells.slice();
  const { x, y, direction, carrying } = world;
  const possible = tried.filter((action) => action < environment.actions.length);
  const first: Node = { x, y, direction, carrying, changes: [], before: null };
  const known = new Set([keyOf(first)]);
  const waiting = [first];
  for (const node of waiting)
    for (const action of possible) {
      enter(world, start, node);
      const next = attempt(world, start, { node, action });
      if (next === 'won') return [...actionsTo(node), action];
      if (next === null || known.has(keyOf(next))) continue;
      known.add(keyOf(next));
      waiting.push(next);
    }
  return null;
}

/** Makes the world what it is at a node. */
function enter(world: World, start: Uint16Array, { changes, x, y, direction, carrying }: Node): void {
  world.grid.cells.set(start);
  for (const [place, cell] of changes) world.grid.cells[place] = cell;
  Object.assign(world, { x, y, direction, carrying });
}

interface Attempt {
  readonly node: Node;
  readonly action: number;
}

/** Where an action leads; null where it is no use. */
function attempt(world: World, start: Uint16Array, { node, action }: Attempt): Node | 'won' | null {
  const { grid } = world;
  const place = grid.placeOf(world.front.x, world.front.y);
  if (isUseless(world, grid.cells[place]!, action)) return null;
  const { reward, terminated } = act(world, action, Infinity);
  if (terminated) return reward > 0 ? 'won' : null;
  const { x, y, direction, carrying } = world;
  const others = node.changes.filter(([changed]) => changed !== place);
  const cell = grid.cells[place]!;
  const changes: Change[] = cell === start[place] ? others : [...others, [place, cell] as const];
  changes.sort(([a], [b]) => a - b);
  return { x, y, direction, carrying, changes, before: { node, action } };
}

function isUseless({ grid }: World, front: Cell, action: number): boolean {
  if (action === actions.toggle) return isOpenDoor(front) || kindOf(front) === kinds.box;
  if (action !== actions.drop) return false;
  return grid.cells.some((cell) => kindOf(cell) === kinds.door && stateOf(cell) === doorStates.locked);
}

function keyOf({ x, y, direction, carrying, changes }: Node): string {
  return `${x} ${y} ${direction} ${carrying} ${changes.join(' ')}`;
}

function actionsTo({ before }: Node): number[] {
  return before === null ? [] : [...actionsTo(before.node), before.action];
}
