/**
 * Sokoban of gym-sokoban 0.0.6, with rooms and actions as RAGEN and verl-agent have them: a seed gives the same room, and every cell, reward, end
 * and tiny picture is equal. Departure: an episode without a seed takes the seed after next, which is of the same set of tasks.
 */
import {
  EmacError,
  invariant,
  type Info,
  type NumberArray,
  type Seed,
  type StepEnvironment,
} from '@emac/core';
import { requireAction, requirePositive } from '../required.ts';
import { tiledFrame, type Colour } from '../tiles.ts';
import { cells, type Room } from './cell.ts';
import { randomRoom } from './random-room.ts';
import { moveIn, openTargets, type Moved } from './rules.ts';
import { solve } from './solve.ts';
import { requireVariant, type Variant } from './variant.ts';

export interface SokobanOptions {
  /** step limit of an episode; default: the published one */
  readonly maxSteps?: number;
  /** pixels of a cell's side in a picture; 16 by default */
  readonly tileSize?: number;
}

export interface SokobanState {
  readonly id: string;
  /** step limit of the episode */
  readonly maxSteps: number;
  /** of the episode, in decimal */
  readonly seed: string;
  /** row by row: 0 wall, 1 floor, 2 target */
  readonly ground: readonly number[];
  /** the same with 3 a box on a target, 4 a box, 5 the player */
  readonly cells: readonly number[];
  readonly taken: number;
  /** boxes on targets, as the last reward counted them */
  readonly counted: number;
}

/** `observe()`: `room` uint8 [height, width], as in the state, and 6 for the player on a target. */
export interface Sokoban extends StepEnvironment<SokobanState> {
  observe(): Readonly<Record<'room', NumberArray>>;
  /** A shortest way to win from here, as actions; null if there is none. */
  solve(): readonly number[] | null;
}

interface Situation {
  readonly seed: bigint;
  readonly room: Room;
  taken: number;
  counted: number;
}

/** Errors: `usage` for an unknown id or an option out of range. */
export function sokoban(name: string, options: SokobanOptions = {}): Sokoban {
  const variant = requireVariant(name);
  const { id } = variant;
  const { maxSteps = variant.maxSteps, tileSize = 16 } = options;
  requirePositive(id, { maxSteps, tileSize });
  const actions = actionsOf(variant);
  let now: Situation | null = null;
  const begun = (): Situation => {
    invariant(now, `${id}: the first reset needs a seed`);
    return now;
  };
  return {
    id,
    actions,
    reset(seed): Info {
      now = started(variant, seed ?? begun().seed + 2n);
      return { moved_player: false, moved_box: false, won: false };
    },
    step(action) {
      requireAction(id, actions, action);
      const at = begun();
      const moved = act(variant, at.room, action);
      at.taken++;
      const won = openTargets(at.room) === 0;
      return {
        reward: rewarded(variant, at),
        terminated: won,
        truncated: at.taken >= maxSteps,
        won,
        info: { moved_player: moved.player, moved_box: moved.box, won },
      };
    },
    text: () => textOf(begun().room),
    observe() {
      const { height, width } = variant;
      return { room: { shape: [height, width], data: shownCells(begun().room) } };
    },
    frame: () => tiledFrame(tilesOf(begun().room), tileSize),
    state() {
      const { seed, room, taken, counted } = begun();
      const [ground, all] = [[...room.ground], [...room.cells]];
      return { id, maxSteps, seed: String(seed), ground, cells: all, taken, counted };
    },
    restore(state) {
      now = restored(variant, state, maxSteps);
    },
    solve: () => solve(begun().room)?.map((direction) => pushesOf(variant)[direction]!) ?? null,
  };
}

const pushes = ['up', 'down', 'left', 'right'] as const;

/** The actions in words, by number. */
export function actionsOf({ from }: Variant): readonly string[] {
  if (from === 'ragen') return pushes;
  return ['no operation', ...pushes.map((word) => `push ${word}`), ...pushes.map((word) => `move ${word}`)];
}

/** Numbers of the actions that push up, down, left and right; they walk, too. */
export function pushesOf({ from }: Variant): readonly number[] {
  return from === 'ragen' ? [0, 1, 2, 3] : [1, 2, 3, 4];
}

function act({ from }: Variant, room: Room, action: number): Moved {
  if (from === 'ragen') return moveIn(room, action, true);
  return action === 0 ? { player: false, box: false } : moveIn(room, (action - 1) % 4, action < 5);
}

function started(variant: Variant, seed: Seed): Situation {
  return { seed: BigInt(seed), room: randomRoom(variant, seed), taken: 0, counted: 0 };
}

/** −0.1 a step, 1 and −1 for a box on and off a target, 10 for all. At the start no box counts as being on a target, as published. */
function rewarded({ boxes }: Variant, at: Situation): number {
  const open = openTargets(at.room);
  const [before, after] = [at.counted, boxes - open];
  at.counted = after;
  return -0.1 + Math.sign(after - before) + (open === 0 ? 10 : 0);
}

/** Errors: `data` for a state of another environment. */
function restored({ id, height, width }: Variant, state: SokobanState, maxSteps: number): Situation {
  if (state.id !== id || state.maxSteps !== maxSteps)
    throw new EmacError(
      'data',
      `${id}: the state is of ${state.id} with a limit of ${state.maxSteps} steps, here it is ${maxSteps}`,
    );
  const { seed, ground, cells: all, taken, counted } = state;
  const room = { height, width, ground: Uint8Array.from(ground), cells: Uint8Array.from(all) };
  return { seed: BigInt(seed), room, taken, counted };
}

function shownCells({ ground, cells: room }: Room): Uint8Array {
  return room.map((cell, place) =>
    cell === cells.player && ground[place] === cells.target ? cells.playerOnTarget : cell,
  );
}

function rowsOf<Each>({ width }: Room, each: readonly Each[]): Each[][] {
  const starts = Array.from({ length: each.length / width }, (_, row) => row * width);
  return starts.map((start) => each.slice(start, start + width));
}

/** RAGEN's letters: # wall, _ floor, O target, √ box on target, X box, P player, S player on target. */
function textOf(room: Room): string {
  const letters = Array.from(shownCells(room), (cell) => '#_O√XPS'[cell]!);
  return rowsOf(room, letters)
    .map((row) => row.join(''))
    .join('\n');
}

/** Of gym-sokoban's tiny pictures. */
const colours: readonly Colour[] = [
  [0, 0, 0],
  [243, 248, 238],
  [254, 126, 125],
  [254, 95, 56],
  [142, 121, 56],
  [160, 212, 56],
  [219, 212, 56],
];

function tilesOf(room: Room) {
  return rowsOf(
    room,
    Array.from(shownCells(room), (cell) => ({ ground: colours[cell]! })),
  );
}
