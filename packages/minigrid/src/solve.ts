/**
 * The shortest way to win a level, by breadth-first search with everything in view: of the shortest sequences of
 * actions the first by number. Useless actions are not tried: closing a door, opening a box, and dropping, except to
 * free the hands for the mission's object when no door is locked any more. Moving obstacles count as fixed, so solve
 * again after each step.
 */
import { isOpenDoor, kindOf, kinds, doorStates, stateOf, type Cell } from './cell.ts';
import type { MiniGrid } from './minigrid.ts';
import { act, actions } from './rules.ts';
import { worldOf } from './state.ts';
import type { World } from './world.ts';

/** A cell that differs from the start of the search. */
type Change = readonly [place: number, cell: Cell];

interface Node {
  readonly x: number;
  readonly y: number;
  readonly direction: number;
  readonly carrying: Cell | null;
  /** sorted by place */
  readonly changes: readonly Change[];
  /** the previous node and action; null at the start */
  readonly before: { readonly node: Node; readonly action: number } | null;
}

const tried = [actions.left, actions.right, actions.forward, actions.pickUp, actions.drop, actions.toggle];

/** The actions from the environment's current state, which is unchanged; null if there is no way. */
export function solve(environment: Pick<MiniGrid, 'state' | 'actions'>): number[] | null {
  const world = worldOf(environment.state());
  if (world.aim.kind === 'dodge') world.aim = { kind: 'goal' };
  const start = world.grid.cells.slice();
  const { x, y, direction, carrying } = world;
  const possible = tried.filter((action) => action < environment.actions.length);
  const first: Node = { x, y, direction, carrying, changes: [], before: null };
  const known = new Set([keyOf(first)]);
  const waiting = [first];
  for (const node of waiting) {
    for (const [place, cell] of node.changes) world.grid.cells[place] = cell;
    for (const action of possible) {
      const next = attempt(world, start, { node, action });
      if (next === 'won') return [...actionsTo(node), action];
      if (next === null || known.has(keyOf(next))) continue;
      known.add(keyOf(next));
      waiting.push(next);
    }
    for (const [place] of node.changes) world.grid.cells[place] = start[place]!;
  }
  return null;
}

interface Attempt {
  readonly node: Node;
  readonly action: number;
}

/**
 * The node after an action, at a node whose changes are applied; null if useless. An action changes only the cell
 * ahead.
 */
function attempt(world: World, start: Uint16Array, { node, action }: Attempt): Node | 'won' | null {
  const { cells } = world.grid;
  Object.assign(world, { x: node.x, y: node.y, direction: node.direction, carrying: node.carrying });
  const place = world.grid.placeOf(world.front.x, world.front.y);
  const front = cells[place]!;
  if (isUseless(world, front, action)) return null;
  const { reward, terminated } = act(world, action, Infinity);
  const after = cells[place]!;
  cells[place] = front;
  if (terminated) return reward > 0 ? 'won' : null;
  const { x, y, direction, carrying } = world;
  const changes = after === front ? node.changes : changed(node.changes, [place, after], start[place]!);
  return { x, y, direction, carrying, changes, before: { node, action } };
}

function changed(before: readonly Change[], [place, cell]: Change, atStart: Cell): Change[] {
  const others = before.filter(([other]) => other !== place);
  const all: Change[] = cell === atStart ? others : [...others, [place, cell]];
  return all.sort(([a], [b]) => a - b);
}

function isUseless({ aim, grid }: World, front: Cell, action: number): boolean {
  if (action === actions.toggle) return isOpenDoor(front) || kindOf(front) === kinds.box;
  if (action !== actions.drop) return false;
  const isLocked = (cell: Cell) => kindOf(cell) === kinds.door && stateOf(cell) === doorStates.locked;
  return aim.kind !== 'pick-up' || grid.cells.some(isLocked);
}

function keyOf({ x, y, direction, carrying, changes }: Node): string {
  return `${x} ${y} ${direction} ${carrying} ${changes.join(' ')}`;
}

function actionsTo({ before }: Node): number[] {
  return before === null ? [] : [...actionsTo(before.node), before.action];
}
