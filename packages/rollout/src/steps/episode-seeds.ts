/** Seeds of episodes. Training seeds are even and evaluation seeds odd, so no episode is in both. */
import type { Random, Seed } from '@emac/core';

/** seeds of each kind: as many as doubles hold exactly */
const count = 2 ** 51;

/** The seed of an environment's n-th episode, by the generator's name: equal names give equal seeds. */
export function trainingSeed(random: Random, place: number, episode: number): Seed {
  return 2 * random.stream('episode').stream(place).stream(episode).integer(count);
}

/** The seed of an evaluation's n-th episode. */
export function heldOutSeed(random: Random, episode: number): Seed {
  return 2 * random.stream('held-out episode').stream(episode).integer(count) + 1;
}
