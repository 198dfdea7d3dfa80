/** The view of MiniGrid's agent in letters, for terminals without pictures. */
import type { NumberArray } from '@emac/core';

/** By the number of the object: unseen, empty, wall, floor, door, key, ball, box, goal, lava, agent. */
const letters = [' ', '.', '#', '.', 'D', 'K', 'o', 'B', 'G', '~', '^'];
const [door, open] = [4, 0];

/** Seven lines; the caret in the middle of the last is the agent, looking up. An open door is `_`. `image`: [column][row][kind, colour, state]. */
export function gridText({ shape, data }: NumberArray): string {
  const [columns, rows, channels] = shape as readonly [number, number, number];
  const lines = Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_each, column) => {
      const at = (column * rows + row) * channels;
      if (row === rows - 1 && column === columns >> 1) return '^';
      return data[at] === door && data[at + 2] === open ? '_' : letters[data[at]!]!;
    }).join(' '),
  );
  return lines.join('\n');
}
