/**
 * The game in reverse, depth first, from a solved room: the player walks, and pulls boxes. Of all states in reach that have every target free,
 * the first with the highest product of pulls and displacement is the start of the game. gym-sokoban has walking without a pull as actions of its
 * own and counts every pull; RAGEN counts changes of the pulled box.
 */
import { cells, isBox, isFree, offsetOf, type Room } from './cell.ts';
import type { Variant } from './variant.ts';

export interface PulledApart {
  readonly cells: Uint8Array;
  /** sum of the boxes' distances to their own targets; 0 where nothing could be pulled */
  readonly displacement: number;
}

interface Node {
  readonly cells: Uint8Array;
  readonly player: number;
  /** place of each box, by its target */
  readonly boxes: readonly number[];
  readonly pulls: number;
  /** the box pulled last; −1 for none */
  readonly pulled: number;
}

/** States after which the published search stops. */
const most = 300_000;

export function pulledApart(room: Room, { from, depth }: Variant): PulledApart {
  const { width, ground } = room;
  const targets = [...ground.keys()].filter((place) => ground[place] === cells.target);
  const explored = new Set<string>();
  let best = { score: -1, node: null as Node | null };
  const distance = (one: number, other: number): number =>
    Math.abs(Math.floor(one / width) - Math.floor(other / width)) + Math.abs((one % width) - (other % width));
  const displacementOf = (boxes: readonly number[]): number =>
    boxes.reduce((sum, place, box) => sum + distance(place, targets[box]!), 0);

  function visit(node: Node, left: number): void {
    if (left <= 0 || explored.size >= most) return;
    const key = String.fromCharCode(...node.cells);
    if (explored.has(key)) return;
    explored.add(key);
    const isOpen = targets.every((target) => node.cells[target] === cells.target);
    const score = isOpen ? node.pulls * displacementOf(node.boxes) : 0;
    if (score > best.score) best = { score, node };
    for (let action = 0; action < (from === 'ragen' ? 4 : 8); action++) {
      const next = reversed(room, node, action);
      if (next) visit(from === 'ragen' ? next : { ...next, pulled: -1 }, left - 1);
    }
  }

  visit(
    { cells: room.cells, player: room.cells.indexOf(cells.player), boxes: targets, pulls: 0, pulled: -1 },
    depth - 1,
  );
  const { node } = best;
  return {
    // nothing at all is visited at a depth of 1
    cells: (node?.cells ?? room.cells).map((cell) => (cell === cells.boxOnTarget ? cells.box : cell)),
    displacement: node ? displacementOf(node.boxes) : 0,
  };
}

/** A step, from 0 to 3 with a pull of the box behind the player; null if something is in the way. */
function reversed({ width, ground }: Room, node: Node, action: number): Node | null {
  const offset = offsetOf(action % 4, width);
  const [next, behind] = [node.player + offset, node.player - offset];
  if (!isFree(node.cells[next])) return null;
  const moved = node.cells.slice();
  moved[node.player] = ground[node.player]!;
  moved[next] = cells.player;
  if (action >= 4 || !isBox(node.cells[behind])) return { ...node, cells: moved, player: next };
  moved[node.player] = cells.boxOnTarget;
  moved[behind] = ground[behind]!;
  const box = node.boxes.indexOf(behind);
  return {
    cells: moved,
    player: next,
    boxes: node.boxes.with(box, node.player),
    pulls: node.pulls + Number(box !== node.pulled),
    pulled: box,
  };
}
