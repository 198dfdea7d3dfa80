/** What an action does: a step that pushes a box ahead, or a step alone. */
import { cells, isBox, isFree, offsetOf, type Room } from './cell.ts';

export interface Moved {
  readonly player: boolean;
  readonly box: boolean;
}

/** Changes the room's cells. */
export function moveIn({ width, ground, cells: room }: Room, direction: number, pushes: boolean): Moved {
  const player = room.indexOf(cells.player);
  const next = player + offsetOf(direction, width);
  const beyond = next + offsetOf(direction, width);
  const box = pushes && isBox(room[next]) && isFree(room[beyond]);
  if (!box && !isFree(room[next])) return { player: false, box: false };
  if (box) room[beyond] = ground[beyond] === cells.target ? cells.boxOnTarget : cells.box;
  room[next] = cells.player;
  room[player] = ground[player]!;
  return { player: true, box };
}

/** Targets without a box: those in sight, and one under the player. */
export function openTargets({ ground, cells: room }: Room): number {
  let count = 0;
  for (let place = 0; place < room.length; place++)
    if (ground[place] === cells.target && (room[place] === cells.target || room[place] === cells.player))
      count++;
  return count;
}
