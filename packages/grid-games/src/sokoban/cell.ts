/** Cells of a room, by gym-sokoban's numbers. */
export const cells = {
  wall: 0,
  floor: 1,
  target: 2,
  boxOnTarget: 3,
  box: 4,
  player: 5,
  playerOnTarget: 6,
} as const;

/** Row and column of a step up, down, left and right. */
export const directions = [
  [-1, 0],
  [1, 0],
  [0, -1],
  [0, 1],
] as const;

export interface Room {
  readonly height: number;
  readonly width: number;
  /** row by row: wall, floor or target; what never moves */
  readonly ground: Uint8Array;
  /** the same with boxes and the player on it; never `playerOnTarget` */
  readonly cells: Uint8Array;
}

export function isFree(cell: number | undefined): boolean {
  return cell === cells.floor || cell === cells.target;
}

export function isBox(cell: number | undefined): boolean {
  return cell === cells.box || cell === cells.boxOnTarget;
}

/** How far a step in a direction is, in cells of the list. */
export function offsetOf(direction: number, width: number): number {
  const [rows, columns] = directions[direction]!;
  return rows * width + columns;
}
