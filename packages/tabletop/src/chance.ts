/** The start of an episode: drawn by numpy's generator, or numbered, so that a seed names a start. */
import { invariant, type Seed } from '@emac/core';
import { NumpyRandom, type NumpyRandomState } from '@emac/numpy-random';
import type { Start } from './starts.ts';

/** The source of the next start without a seed, as plain data. */
export type Chance =
  | { readonly kind: 'drawn'; readonly random: NumpyRandomState }
  | { readonly kind: 'counted'; readonly next: number };

export type Starts = Chance['kind'];

/** A start for a seed (null: the current source), and the source after it. Errors: `usage` for an invalid seed. */
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
  invariant(start, `tabletop: initial states are numbered 0 to ${choices.length - 1}, got ${place}`);
  return { start, chance: { kind: 'counted', next: (place + 1) % choices.length } };
}
