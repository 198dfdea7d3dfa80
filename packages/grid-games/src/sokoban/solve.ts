/** The shortest way to win, by breadth-first search: of the shortest sequences of pushes and steps the first by number. */
import { cells, type Room } from './cell.ts';
import { moveIn, openTargets } from './rules.ts';

/** Directions (0 up, 1 down, 2 left, 3 right), all of which push; null if there is no way. */
export function solve(start: Room): number[] | null {
  interface Node {
    readonly cells: Uint8Array;
    readonly before: Node | null;
    readonly direction: number;
  }
  // a box counts as a box wherever it stands
  const keyOf = (room: Uint8Array): string =>
    String.fromCharCode(...room.map((cell) => (cell === cells.boxOnTarget ? cells.box : cell)));
  const wayTo = ({ before, direction }: Node): number[] => (before ? [...wayTo(before), direction] : []);
  const waiting: Node[] = [{ cells: start.cells, before: null, direction: -1 }];
  const known = new Set([keyOf(start.cells)]);
  for (const node of waiting) {
    if (openTargets({ ...start, cells: node.cells }) === 0) return wayTo(node);
    for (let direction = 0; direction < 4; direction++) {
      const next = { ...start, cells: node.cells.slice() };
      if (!moveIn(next, direction, true).player) continue;
      const key = keyOf(next.cells);
      if (known.has(key)) continue;
      known.add(key);
      waiting.push({ cells: next.cells, before: node, direction });
    }
  }
  return null;
}
