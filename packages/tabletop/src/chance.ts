/** Which start an episode has: drawn by numpy's generator, or counted, so that a seed names a start. */
import { invariant, type Seed } from '@emac/core';
import { NumpyRandom, type NumpyRandomState } from '@emac/numpy-random';
import type { Start } from './starts.ts';

/** What the next episode without a seed begins with, as plain data. */
export type Chance =
  | { readonly kind: 'drawn'; readonly random: NumpyRandomState }
  | { readonly kind: 'counted'; readonly next: number };

export type Starts = Chance['kind'];

/** A start for a seed, or with null for what chance has come to, and what chance comes to. Errors: `usage` for what is no seed. */
export function chosen(
  choices: readonly Start[],
  starts: Starts,
  seed: Seed | Chance,
): { start: Start; chance: Chance } {
  if (typeof seed === 'object')
    return seed.kind === 'drawn'
      ? drawn(choices, NumpyRandom.restore(seed.random))
      : counted(choices, seed.next);
  const random = NumpyRandom.fromSeed(seed);
  return starts === 'drawn'
    ? drawn(choices, random)
    : counted(choices, Number(BigInt(seed) % BigInt(choices.length)));
}

function drawn(choices: readonly Start[], random: NumpyRandom): { start: Start; chance: Chance } {
  const start = random.choice(choices);
  return { start, chance: { kind: 'drawn', random: random.state() } };
}

function counted(choices: readonly Start[], place: number): { start: Start; chance: Chance } {
  const start = choices[place];
  invariant(start, `tabletop: there are ${choices.length} starts, none at ${place}`);
  return { start, chance: { kind: 'counted', next: (place + 1) % choices.length } };
}
