/**
 * FrozenLake of Gymnasium 1.4 (`FrozenLake-v1`): a seed gives the same map, slips, rewards, facts and ends as the published package. Departures:
 * the text is the grid as RAGEN prints it, and pictures are our own.
 */
import { EmacError, invariant, type Info, type NumberArray, type StepEnvironment } from '@emac/core';
import { NumpyRandom, type NumpyRandomState } from '@emac/numpy-random';
import { requireAction, requirePositive } from '../required.ts';
import { tiledFrame, type Colour } from '../tiles.ts';
import { randomMap, type LakeMap } from './lake-map.ts';
import { requireVariant, type Variant } from './variant.ts';
import { planOf, waysOf, type Plan, type Ways } from './ways.ts';

export interface FrozenLakeOptions {
  /** step limit of an episode; default: the published one */
  readonly maxSteps?: number;
  /** pixels of a cell's side in a picture; 32 by default */
  readonly tileSize?: number;
}

export interface FrozenLakeState {
  readonly id: string;
  /** step limit of the episode */
  readonly maxSteps: number;
  readonly random: NumpyRandomState;
  readonly map: LakeMap;
  /** the player's cell: row × size + column */
  readonly place: number;
  readonly taken: number;
}

/**
 * `observe()`: `state`, the player's cell as Gymnasium numbers it, and `map` [size, size]: 0 frozen, 1 hole, 2 goal. After an episode's end
 * the player stays where it is.
 */
export interface FrozenLake extends StepEnvironment<FrozenLakeState> {
  observe(): Readonly<Record<'state' | 'map', NumberArray>>;
  /** The best actions now: the likeliest to arrive within the limit, of those the earliest. */
  best(): readonly number[];
  /** Chance that a player who plays so arrives. */
  chance(): number;
}

/** The actions in words, by number. */
export const lakeActions = ['left', 'down', 'right', 'up'] as const;

interface Situation {
  readonly random: NumpyRandom;
  readonly map: LakeMap;
  readonly ways: Ways;
  /** made when it is first asked for */
  plan: Plan | null;
  place: number;
  taken: number;
}

/** An environment of an id, `-v1` optional. Errors: `usage` for an unknown id or an option out of range. */
export function frozenLake(name: string, options: FrozenLakeOptions = {}): FrozenLake {
  const variant = requireVariant(name);
  const { id } = variant;
  const { maxSteps = variant.maxSteps, tileSize = 32 } = options;
  requirePositive(id, { maxSteps, tileSize });
  let now: Situation | null = null;
  const begun = (): Situation => {
    invariant(now, `${id}: the first reset needs a seed`);
    return now;
  };
  const left = (): number => Math.max(0, maxSteps - begun().taken);
  const plan = (): Plan => (begun().plan ??= planOf(begun().ways, maxSteps));
  return {
    id,
    actions: lakeActions,
    reset(seed): Info {
      now = seed === null ? again(begun()) : started(variant, seed);
      return { prob: 1, won: false };
    },
    step(action) {
      const at = begun();
      requireAction(id, lakeActions, action);
      const { chance, place, reward, ends } = drawn(at.ways[at.place]![action]!, at.random);
      at.place = place;
      at.taken++;
      const won = reward > 0;
      return { reward, terminated: ends, truncated: at.taken >= maxSteps, won, info: { prob: chance, won } };
    },
    text: () => textOf(begun()),
    observe: () => observed(begun()),
    frame: () => tiledFrame(tilesOf(begun()), tileSize),
    state() {
      const { random, map, place, taken } = begun();
      return { id, maxSteps, random: random.state(), map, place, taken };
    },
    restore(state) {
      if (state.id !== id || state.maxSteps !== maxSteps)
        throw new EmacError(
          'data',
          `${id}: the state is of ${state.id} with a limit of ${state.maxSteps} steps, here it is ${maxSteps}`,
        );
      const { map, place, taken } = state;
      const random = NumpyRandom.restore(state.random);
      now = { random, map, ways: waysOf(map, variant.success), plan: null, place, taken };
    },
    best: () => plan().best(left(), begun().place),
    chance: () => plan().chance(left(), begun().place),
  };
}

/** The map has a generator of its own with the same seed. */
function started({ map, size, success }: Variant, seed: number | bigint): Situation {
  const random = NumpyRandom.fromSeed(seed);
  const drawnMap = map ?? randomMap(size, NumpyRandom.fromSeed(seed));
  return again({ random, map: drawnMap, ways: waysOf(drawnMap, success), plan: null, place: 0, taken: 0 });
}

/** The next episode on the same map. The published package draws the start, although there is one alone. */
function again(before: Situation): Situation {
  before.random.random();
  return { ...before, place: 0, taken: 0 };
}

/** One way by its chance: the first whose cumulative chance exceeds the draw. */
function drawn<Each extends { readonly chance: number }>(ways: readonly Each[], random: NumpyRandom): Each {
  const draw = random.random();
  let sum = 0;
  // chances may add up to less than 1 by rounding; numpy's argmax then takes the first
  return ways.find(({ chance }) => (sum += chance) > draw) ?? ways[0]!;
}

/** Rows of letters: P the player, _ frozen, O a hole, G the goal; X the player in a hole, √ at the goal. */
function textOf({ map, place }: Situation): string {
  const shown: Readonly<Record<string, string>> = { S: '_', F: '_', H: 'O', G: 'G' };
  const onTop: Readonly<Record<string, string>> = { S: 'P', F: 'P', H: 'X', G: '√' };
  const size = map.length;
  const letter = (cell: string, at: number): string => (at === place ? onTop : shown)[cell]!;
  return map.map((row, y) => Array.from(row, (cell, x) => letter(cell, y * size + x)).join('')).join('\n');
}

const numbered: Readonly<Record<string, number>> = { S: 0, F: 0, H: 1, G: 2 };

function observed({ map, place }: Situation): ReturnType<FrozenLake['observe']> {
  const cells = Array.from(map.join(''), (cell) => numbered[cell]!);
  return {
    state: { shape: [], data: Int32Array.of(place) },
    map: { shape: [map.length, map.length], data: Uint8Array.from(cells) },
  };
}

const colours: Readonly<Record<string, Colour>> = {
  S: [200, 225, 245],
  F: [200, 225, 245],
  H: [20, 50, 110],
  G: [60, 170, 80],
};
const player: Colour = [210, 50, 40];

function tilesOf({ map, place }: Situation) {
  return map.map((row, y) =>
    Array.from(row, (cell, x) => ({
      ground: colours[cell]!,
      ...(y * map.length + x === place && { thing: player }),
    })),
  );
}
