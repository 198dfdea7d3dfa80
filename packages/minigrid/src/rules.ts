/**
 * The effect of an action, in the published order: count the step, carry it out, check the mission. Steps after an
 * episode's end follow the same rules.
 */
import {
  canBeEntered,
  canBePickedUp,
  cellOf,
  colourOf,
  doorStates,
  empty,
  isOpenDoor,
  kindOf,
  kinds,
  stateOf,
  type Cell,
} from './cell.ts';
import { steps, type World } from './world.ts';

export const actions = { left: 0, right: 1, forward: 2, pickUp: 3, drop: 4, toggle: 5, done: 6 } as const;

export interface Verdict {
  readonly reward: number;
  readonly terminated: boolean;
}

const nothing: Verdict = { reward: 0, terminated: false };
const failure: Verdict = { reward: 0, terminated: true };
const collision: Verdict = { reward: -1, terminated: true };
const ball = cellOf('ball', 'blue');

/** One action, 0 to 6. Success pays 1 − 0.9 · steps / limit. */
export function act(world: World, action: number, maxSteps: number): Verdict {
  const success = (): Verdict => ({ reward: 1 - 0.9 * (world.taken / maxSteps), terminated: true });
  const { aim, grid } = world;
  switch (aim.kind) {
    case 'goal':
      return carryOut(world, action, success);
    case 'fetch': {
      const verdict = carryOut(world, action, success);
      if (world.carrying === null) return verdict;
      return world.carrying === aim.thing ? success() : failure;
    }
    case 'pick-up': {
      const verdict = carryOut(world, action, success);
      return action === actions.pickUp && world.carrying === aim.thing ? success() : verdict;
    }
    case 'open': {
      const verdict = carryOut(world, action, success);
      return action === actions.toggle && isOpenDoor(grid.cells[aim.door]!) ? success() : verdict;
    }
    case 'open-in-order': {
      const areOpen = () => [aim.first, aim.second].map((place) => isOpenDoor(grid.cells[place]!));
      const before = areOpen();
      const verdict = carryOut(world, action, success);
      const after = areOpen();
      if (after[1]) return before[0] ? success() : failure;
      return after[0] && before[1] ? failure : verdict;
    }
    case 'dodge': {
      // there are three actions; others turn left
      const possible = action > actions.forward ? actions.left : action;
      const { x, y } = world.front;
      const front = grid.at(x, y);
      world.aim = { ...aim, obstacles: moved(world, aim.obstacles) };
      const verdict = carryOut(world, possible, success);
      const isBlocked = front !== empty && kindOf(front) !== kinds.goal;
      return possible === actions.forward && isBlocked ? collision : verdict;
    }
  }
}

/** Shared by all missions. */
function carryOut(world: World, action: number, success: () => Verdict): Verdict {
  world.taken++;
  const { grid, direction } = world;
  const ahead = steps[direction]!;
  const place = grid.placeOf(world.x + ahead.x, world.y + ahead.y);
  const front = grid.cells[place]!;
  switch (action) {
    case actions.left:
      world.direction = (direction + 3) & 3;
      break;
    case actions.right:
      world.direction = (direction + 1) & 3;
      break;
    case actions.forward:
      if (!canBeEntered(front)) break;
      world.x += ahead.x;
      world.y += ahead.y;
      if (kindOf(front) === kinds.goal) return success();
      if (kindOf(front) === kinds.lava) return failure;
      break;
    case actions.pickUp:
      if (world.carrying !== null || !canBePickedUp(front)) break;
      world.carrying = front;
      grid.cells[place] = empty;
      break;
    case actions.drop:
      if (world.carrying === null || front !== empty) break;
      grid.cells[place] = world.carrying;
      world.carrying = null;
      break;
    case actions.toggle:
      grid.cells[place] = toggled(front, world.carrying);
      break;
  }
  return nothing;
}

/** A locked door opens to a carried key of its colour, and the key stays; boxes are empty here. */
function toggled(cell: Cell, carrying: Cell | null): Cell {
  const kind = kindOf(cell);
  if (kind === kinds.box) return empty;
  if (kind !== kinds.door) return cell;
  const [colour, state] = [colourOf(cell), stateOf(cell)];
  const key = kinds.key | (colour << 4);
  if (state === doorStates.locked && carrying !== key) return cell;
  const next = state === doorStates.open ? doorStates.closed : doorStates.open;
  return kinds.door | (colour << 4) | (next << 8);
}

/** Each obstacle in turn moves to a free neighbouring cell; it stays if a hundred tries find none. */
function moved(world: World, obstacles: readonly number[]): number[] {
  const { grid } = world;
  return obstacles.map((place) => {
    const { x, y } = grid.pointOf(place);
    const within = { x: x - 1, y: y - 1, width: 3, height: 3 };
    const found = world.tryToPlace(ball, { within, tries: 100 });
    if (!found) return place;
    grid.cells[place] = empty;
    return grid.placeOf(found.x, found.y);
  });
}
