/** What is seen and said on a walk through an environment, in digests: those of `tools/reference/minigrid_reference.py`. */
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
  const steps = [seen(environment, new Uint8Array())];
  for (const action of actions) {
    const { reward, terminated, truncated } = environment.step(Number(action));
    const flags = Number(terminated) + 2 * Number(truncated);
    steps.push(seen(environment, [...new Uint8Array(Float64Array.of(reward).buffer), flags]));
    if (!terminated && !truncated) continue;
    environment.reset(null);
    steps.push(seen(environment, new Uint8Array()));
  }
  return steps;
}

function seen(environment: MiniGrid, outcome: Uint8Array | readonly number[]): string {
  const { image, direction } = environment.observe();
  const words = digest(image.data, direction.data, new TextEncoder().encode(environment.text()));
  return `${words}:${digest(environment.frame().data)}:${digest(outcome)}`;
}

function digest(...parts: readonly ArrayLike<number>[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(Uint8Array.from(part));
  return hash.digest('hex').slice(0, 8);
}

export function digestOf(transcript: readonly string[]): string {
  return createHash('sha256').update(transcript.join(' ')).digest('hex').slice(0, 16);
}

/**
 * A walk of so many random actions, half of them steps forward. Every other seed begins with what wins the level, every third has a limit
 * of its own; tiles and light vary.
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
