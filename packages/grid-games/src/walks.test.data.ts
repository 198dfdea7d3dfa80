/** Digests of what is seen on a walk, as `tools/reference/grid_games_reference.py` records them. */
import { createHash } from 'node:crypto';
import { Random } from '@emac/core';
import { frozenLake } from './frozen-lake/frozen-lake.ts';
import { frozenLakeIds, requireVariant } from './frozen-lake/variant.ts';
import { sokoban } from './sokoban/sokoban.ts';
import { requireVariant as requireRoom, sokobanIds } from './sokoban/variant.ts';

export interface LakeWalk {
  readonly game: 'frozen-lake';
  /** for `gymnasium.make`, with its arguments */
  readonly id: string;
  readonly arguments: Readonly<Record<string, number | boolean>>;
  /** size of a random map; null: the published one */
  readonly random: number | null;
  readonly seed: number;
  /** one digit each */
  readonly actions: string;
  /** null: as published */
  readonly maxSteps: number | null;
  /** the id here */
  readonly name: string;
}

/** A walk of random actions; every other seed follows the plan half of the time, every third has its own limit. */
export function lakeWalk(name: string, seed: number, length: number): LakeWalk {
  const { map, size, success } = requireVariant(name);
  const random = Random.fromSeed(`${name}/${seed}`);
  const maxSteps = seed % 3 === 2 ? 1 + random.integer(length) : null;
  const lake = frozenLake(name);
  lake.reset(seed);
  const actions: number[] = [];
  for (let step = 0; step < length; step++) {
    const isGood = seed % 2 === 0 && random.uniform() < 0.5;
    const action = (isGood ? lake.best()[0] : undefined) ?? random.integer(4);
    actions.push(action);
    const { terminated, truncated } = lake.step(action);
    if (terminated || truncated) lake.reset(null);
  }
  return {
    game: 'frozen-lake',
    id: name.split('/')[0]!,
    arguments: {
      is_slippery: !name.endsWith('not-slippery'),
      ...(name.includes('success') && { success_rate: success }),
    },
    random: map ? null : size,
    seed,
    actions: actions.join(''),
    maxSteps,
    name,
  };
}

/** For the reset, and for each step (after an end also for the next reset). */
export function lakeTranscript({ name, seed, actions, maxSteps }: LakeWalk): string[] {
  const lake = frozenLake(name, maxSteps === null ? {} : { maxSteps });
  const entry = (flags: number, reward: number, probability: number): string =>
    digest([lake.observe().state.data[0]!, flags], [reward, probability], lake.text());
  const begin = (from: number | null): string => entry(0, 0, lake.reset(from)['prob'] as number);
  const steps = [begin(seed)];
  for (const action of actions) {
    const { reward, terminated, truncated, info } = lake.step(Number(action));
    const flags = Number(terminated) + 2 * Number(truncated);
    steps.push(entry(flags, reward, info['prob'] as number));
    if (flags > 0) steps.push(begin(null));
  }
  return steps;
}

export interface SokobanWalk {
  readonly game: 'sokoban';
  readonly from: 'ragen' | 'gym-sokoban';
  readonly room: readonly [rows: number, columns: number];
  readonly boxes: number;
  readonly depth: number;
  readonly seed: number;
  /** one digit each, up to an end of the episode at most */
  readonly actions: string;
  readonly maxSteps: number;
  /** the id here */
  readonly name: string;
}

/** A walk of random actions; every other seed follows a shortest way most of the time, every third has its own limit. */
export function sokobanWalk(name: string, seed: number, length: number): SokobanWalk {
  const { from, height, width, boxes, depth, maxSteps: published } = requireRoom(name);
  const random = Random.fromSeed(`${name}/${seed}`);
  const maxSteps = seed % 3 === 2 ? 1 + random.integer(length) : published;
  const game = sokoban(name, { maxSteps });
  game.reset(seed);
  const actions: number[] = [];
  for (let ended = false; !ended && actions.length < length;) {
    const isGood = seed % 2 === 0 && random.uniform() < 0.7;
    const action = (isGood ? game.solve()?.[0] : undefined) ?? random.integer(game.actions.length);
    actions.push(action);
    const { terminated, truncated } = game.step(action);
    ended = terminated || truncated;
  }
  const room = [height, width] as const;
  return { game: 'sokoban', from, room, boxes, depth, seed, actions: actions.join(''), maxSteps, name };
}

/** For the reset, and for each step. */
export function sokobanTranscript({ name, seed, actions, maxSteps, from, boxes }: SokobanWalk): string[] {
  const game = sokoban(name, { maxSteps, tileSize: 3 });
  const entry = (facts: readonly number[], reward: number): string =>
    digest([...game.observe().room.data, ...facts], [reward], game.text(), game.frame().data);
  game.reset(seed);
  const way = from === 'ragen' && boxes === 1 ? (game.solve()?.length ?? 0) : 0;
  const steps = [entry([0, 0, way], 0)];
  for (const action of actions) {
    const { reward, terminated, truncated, info } = game.step(Number(action));
    const moved = Number(info['moved_player']) + 2 * Number(info['moved_box']);
    steps.push(entry([Number(terminated) + 2 * Number(truncated), moved, 0], reward));
  }
  return steps;
}

/** Those of `fixtures/rooms.json`: four seeds of every listed id; in 14 and 20 the way to count pulls decides about RAGEN's rooms. */
export function fixtureRooms(): SokobanWalk[] {
  return sokobanIds.flatMap((id) => [0, 1, 14, 20].map((seed) => sokobanWalk(id, seed, 60)));
}

function digest(whole: readonly number[], real: readonly number[], ...rest: (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  hash.update(Int32Array.from(whole)).update(Float64Array.from(real));
  for (const part of rest) hash.update(part);
  return hash.digest('hex').slice(0, 8);
}

export function digestOf(transcript: readonly string[]): string {
  return createHash('sha256').update(transcript.join(' ')).digest('hex').slice(0, 16);
}

/** Those of `fixtures/lakes.json`: two seeds of every listed id. */
export function fixtureLakes(): LakeWalk[] {
  return frozenLakeIds.flatMap((id) => [0, 1].map((seed) => lakeWalk(id, seed, 60)));
}
