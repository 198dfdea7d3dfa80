/**
 * A cell's content as one number: kind, colour and state by their published indices, packed as kind | colour · 16 |
 * state · 256. An empty cell is (1, 0, 0), as in observations.
 */

export const kinds = {
  unseen: 0,
  empty: 1,
  wall: 2,
  floor: 3,
  door: 4,
  key: 5,
  ball: 6,
  box: 7,
  goal: 8,
  lava: 9,
  agent: 10,
} as const;
export type Kind = keyof typeof kinds;

export const colours = { red: 0, green: 1, blue: 2, purple: 3, yellow: 4, grey: 5 } as const;
export type Colour = keyof typeof colours;

/** In the order used for random draws. */
export const sortedColours: readonly Colour[] = ['blue', 'green', 'grey', 'purple', 'red', 'yellow'];

/** States of a door; all else has 0. */
export const doorStates = { open: 0, closed: 1, locked: 2 } as const;

export type Cell = number;

export function cellOf(kind: Kind, colour: Colour, state = 0): Cell {
  return kinds[kind] | (colours[colour] << 4) | (state << 8);
}

export function door(colour: Colour, state: keyof typeof doorStates): Cell {
  return cellOf('door', colour, doorStates[state]);
}

export const empty: Cell = kinds.empty;
export const wall = cellOf('wall', 'grey');
export const goal = cellOf('goal', 'green');
export const lava = cellOf('lava', 'red');

export function kindOf(cell: Cell): number {
  return cell & 15;
}

export function colourOf(cell: Cell): number {
  return (cell >> 4) & 15;
}

export function stateOf(cell: Cell): number {
  return cell >> 8;
}

/** One above the largest cell. */
export const cellCount = 1024;

/** The words of a thing, e.g. `yellow key`. */
export function nameOf(cell: Cell): string {
  const word = (names: object, index: number) => Object.keys(names)[index]!;
  return `${word(colours, colourOf(cell))} ${word(kinds, kindOf(cell))}`;
}

export function isOpenDoor(cell: Cell): boolean {
  return kindOf(cell) === kinds.door && stateOf(cell) === doorStates.open;
}

/** Whether the agent may enter. */
export function canBeEntered(cell: Cell): boolean {
  const kind = kindOf(cell);
  return (
    kind === kinds.empty ||
    kind === kinds.goal ||
    kind === kinds.lava ||
    kind === kinds.floor ||
    isOpenDoor(cell)
  );
}

export function canBePickedUp(cell: Cell): boolean {
  const kind = kindOf(cell);
  return kind === kinds.key || kind === kinds.ball || kind === kinds.box;
}

export function blocksSight(cell: Cell): boolean {
  const kind = kindOf(cell);
  return kind === kinds.wall || (kind === kinds.door && stateOf(cell) !== doorStates.open);
}
