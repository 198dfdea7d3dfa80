/** Digests of observations on a walk, as recorded by `tools/reference/minigrid_reference.py`. */
import { createHash } from 'node:crypto';
import { Random } from '@emac/core';
import { miniGrid, type MiniGrid, type MiniGridOptions } from './minigrid.ts';
import { solve } from './solve.ts';

export interface Walk extends Pick<MiniGridOptions, 'tileSize' | 'highlight'> {
  readonly id: string;
  readonly seed: number;
  /** one digit each */
  readonly actions: string;
  /** null: as published */
  readonly maxSteps: number | null;
}

/** For the reset, and for each step (after an end also for the next reset): `observation:frame:outcome`. */
export function transcriptOf({ id, seed, actions, maxSteps, ...options }: Walk): string[] {
  const environment = miniGrid(id, { ...options, ...(maxSteps !== null && { maxSteps }) });
  environment.reset(seed);
  const steps = [seen(environment, { outcome: nothing, number: 0 })];
  for (const action of actions) {
    const { reward, terminated, truncated } = environment.step(Number(action));
    const flags = Number(terminated) + 2 * Number(truncated);
    const outcome = new DataView(new ArrayBuffer(9));
    outcome.setFloat64(0, reward, true);
    outcome.setUint8(8, flags);
    steps.push(seen(environment, { outcome: new Uint8Array(outcome.buffer), number: steps.length }));
    if (!terminated && !truncated) continue;
    environment.reset(null);
    steps.push(seen(environment, { outcome: nothing, number: steps.length }));
  }
  return steps;
}

const nothing = new Uint8Array();

interface Entry {
  readonly outcome: Uint8Array;
  /** its place in the transcript; every third has a frame */
  readonly number: number;
}

function seen(environment: MiniGrid, { outcome, number }: Entry): string {
  const { image, direction } = environment.observe();
  const mission = new TextEncoder().encode(environment.text());
  const words = digest(Uint8Array.from(image.data), Uint8Array.from(direction.data), mission);
  const frame = number % 3 === 0 ? digest(environment.frame().data) : '';
  return `${words}:${frame}:${digest(outcome)}`;
}

function digest(...parts: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex').slice(0, 8);
}

export function digestOf(transcript: readonly string[]): string {
  return createHash('sha256').update(transcript.join(' ')).digest('hex').slice(0, 16);
}

/**
 * A walk of so many random actions, half of them steps forward. Every other seed begins with a winning sequence, every
 * third has its own limit; tiles and light vary.
 */
export function randomWalk(id: string, seed: number, length: number): Walk {
  const random = Random.fromSeed(`${id}/${seed}`);
  const maxSteps = seed % 3 === 2 ? 1 + random.integer(length) : null;
  const environment = miniGrid(id);
  environment.reset(seed);
  const way = seed % 2 === 0 ? (solve(environment) ?? []) : [];
  const drawn = Array.from({ length }, () => random.pick([0, 1, 2, 2, 2, 2, 3, 3, 4, 5, 5, 6]));
  const [tileSize, highlight] = [random.pick([32, 8, 5]), random.uniform() < 0.8];
  return { id, seed, actions: [...way, ...drawn].join(''), maxSteps, tileSize, highlight };
}

/** Those of an id in `fixtures/walks.json`: the first three seeds. */
export function fixtureWalks(id: string): Walk[] {
  return [0, 1, 2].map((seed) => randomWalk(id, seed, 40));
}
