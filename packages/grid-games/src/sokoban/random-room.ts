/**
 * A room of a seed, as gym-sokoban 0.0.6 makes it: a random walk digs the floor, player and targets are put on it at random, and the game is
 * played in reverse from the solved room to where boxes are pulled farthest. RAGEN's version, which verl-agent shares, counts pulls otherwise and
 * then moves the player a few steps. Digging and moving draw from Python's `random`, placing from numpy's older generator.
 *
 * If no try succeeds, gym-sokoban goes on with the same streams, and so do rooms here. RAGEN and verl-agent would seed by Python's hash of a text
 * there, which differs in every process. It happens in none of 300 seeds of 6 × 6 with one box, and in 34 of 8 × 8 with two and depth 10.
 */
import type { Seed } from '@emac/core';
import { MersenneTwister } from '@emac/numpy-random';
import { cells, isFree, offsetOf, type Room } from './cell.ts';
import { pulledApart } from './reverse-play.ts';
import type { Variant } from './variant.ts';

interface Draws {
  readonly python: MersenneTwister;
  readonly numpy: MersenneTwister;
}

export function randomRoom(variant: Variant, seed: Seed): Room {
  const draws = { python: MersenneTwister.fromPythonSeed(seed), numpy: MersenneTwister.fromNumpySeed(seed) };
  for (;;) {
    const room = attempt(variant, draws);
    if (room) return room;
  }
}

/** Null if boxes cannot be pulled off their targets in four rooms, or a room has too few cells. */
function attempt(variant: Variant, draws: Draws): Room | null {
  const { height, width, from } = variant;
  for (let tried = 0; tried < 4; tried++) {
    const solved = solvedRoom(variant, draws);
    if (!solved) return null;
    const ground = solved.map((cell) => (cell === cells.player ? cells.floor : cell));
    const start = solved.map((cell) => (cell === cells.target ? cells.box : cell));
    const found = pulledApart({ height, width, ground, cells: start }, variant);
    if (found.displacement === 0) continue;
    const room = { height, width, ground, cells: found.cells };
    if (from === 'ragen') movePlayer(room, found.displacement === 1 ? 0.8 : 0.5, draws.python);
    return room;
  }
  return null;
}

/** Walls and floor with the player, and targets that stand for boxes on them; null if there are too few cells. */
function solvedRoom({ height, width, boxes }: Variant, { python, numpy }: Draws): Uint8Array | null {
  const room = dug(height, width, python);
  const floor = (): number[] => [...room.keys()].filter((place) => room[place] === cells.floor);
  if (floor().length <= boxes + 1) return null;
  for (const cell of [cells.player, ...Array.from({ length: boxes }, () => cells.target)]) {
    const places = floor();
    room[places[numpy.numpyBelow(places.length)]!] = cell;
  }
  return room;
}

/** Shapes of floor, one of which is dug around the walker at every step; places relative to it. */
const shapes = [
  [[0, -1], [0, 0], [0, 1]],
  [[-1, 0], [0, 0], [1, 0]],
  [[0, -1], [0, 0], [1, 0]],
  [[0, -1], [0, 0], [1, -1], [1, 0]],
  [[0, 0], [0, 1], [1, 0]],
] as const; // prettier-ignore

const walkDirections = [
  [1, 0],
  [0, 1],
  [-1, 0],
  [0, -1],
] as const;

function dug(height: number, width: number, python: MersenneTwister): Uint8Array {
  const room = new Uint8Array(height * width);
  const isInside = (row: number, column: number): boolean =>
    row > 0 && row < height - 1 && column > 0 && column < width - 1;
  let direction = walkDirections[python.pythonBelow(4)]!;
  let [row, column] = [1 + python.pythonBelow(height - 1), 1 + python.pythonBelow(width - 1)];
  for (let step = 0; step < Math.trunc(1.7 * (height + width)); step++) {
    if (python.random() < 0.35) direction = walkDirections[python.pythonBelow(4)]!;
    row = Math.max(Math.min(row + direction[0], height - 2), 1);
    column = Math.max(Math.min(column + direction[1], width - 2), 1);
    for (const [down, right] of shapes[python.pythonBelow(shapes.length)]!)
      if (isInside(row + down, column + right)) room[(row + down) * width + column + right] = cells.floor;
  }
  return room;
}

/** Up to three steps to cells where the player has not been. */
function movePlayer({ width, ground, cells: room }: Room, chance: number, python: MersenneTwister): void {
  if (python.random() > chance) return;
  let place = room.indexOf(cells.player);
  const visited = [place];
  for (let steps = 0; steps < 3; steps++) {
    const nexts = [0, 1, 2, 3].map((direction) => place + offsetOf(direction, width));
    const free = nexts.filter((next) => isFree(room[next]) && !visited.includes(next));
    if (free.length === 0) return;
    room[place] = ground[place]!;
    place = free[python.pythonBelow(free.length)]!;
    room[place] = cells.player;
    visited.push(place);
    if (steps === 2 || python.random() > 0.5) return;
  }
}
