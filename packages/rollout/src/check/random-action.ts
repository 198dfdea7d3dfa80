/** Actions of a random player, a few of which are in no list, as an untrained model writes them. */
import type { Observation, Random } from '@emac/core';

/** One in so many answers is no offered action. */
const share = 20;
const foreign = ['xyzzy', 'go', 'look around', '7', ''] as const;

export function randomAction({ admissible }: Observation, random: Random): string {
  const words =
    admissible === null || admissible.length === 0 || random.integer(share) === 0 ? foreign : admissible;
  return words[random.integer(words.length)]!;
}
