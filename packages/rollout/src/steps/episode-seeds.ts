/** Tasks of an evaluation, and seeds of episodes. Training seeds are even and evaluation seeds odd, so no episode is in both. */
import { Random, type Seed, type Task, type TaskSource } from '@emac/core';

/** seeds of each kind: as many as doubles hold exactly */
const count = 2 ** 51;

/** The seed of an environment's n-th episode, by the generator's name: equal names give equal seeds. */
export function trainingSeed(random: Random, place: number, episode: number): Seed {
  return 2 * random.stream('episode').stream(place).stream(episode).integer(count);
}

/** The seed of held-out task number n, from 0, of an environment that is stepped by seeds: the same for every method and run. */
export function heldOutSeed(number: number): Seed {
  return 2 * number + 1;
}

/** The first tasks of a set, as many as there are. */
export function firstTasks({ count: all, at }: TaskSource, wanted: number): Task[] {
  return Array.from({ length: Math.min(wanted, all ?? wanted) }, (_, number) => at(number));
}

/** The environment's chance in each evaluated task: equal before training, after it, and in `emac eval` with the run's seed. */
export function taskSeeds(seed: number): (task: Pick<Task, 'id'>) => string {
  return ({ id }) => Random.fromSeed(seed).stream(id).path;
}
