/** Seeds of episodes. Those of training are even and those of evaluation odd, so that no episode is in both, whatever is drawn. */
import type { Random, Seed } from '@emac/core';

/** of each kind, as many as numbers hold exactly */
const count = 2 ** 51;

/** The seed of the n-th episode at a place, by the generator's name: equal ones give equal seeds. */
export function trainingSeed(random: Random, place: number, episode: number): Seed {
  return 2 * random.stream('episode').stream(place).stream(episode).integer(count);
}

/** The seed of an evaluation's n-th episode. */
export function heldOutSeed(random: Random, episode: number): Seed {
  return 2 * random.stream('held-out episode').stream(episode).integer(count) + 1;
}
