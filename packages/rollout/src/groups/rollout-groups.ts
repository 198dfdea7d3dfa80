/** Groups of attempts that begin alike: one task, one seed of the environment, and draws of its own for each attempt. */
import type { Environment, Random, Task, Trajectory } from '@emac/core';
import type { Attempt, Rollout } from '../attempt.ts';
import { rollout } from '../rollout.ts';

export interface AttemptGroup {
  readonly task: Task;
  /** its name is the environment's seed in every attempt; the stream of an attempt's place is what the attempt draws with */
  readonly random: Random;
}

export interface GroupSizes {
  /** G */
  readonly groupSize: number;
  /** number of the first attempt in events */
  readonly firstNumber: number;
}

/** Plays G attempts of every group; trajectories one group after another [P · G]. Errors: those of `rollout`. */
export function rolloutGroups(
  setup: Rollout,
  groups: readonly AttemptGroup[],
  { groupSize, firstNumber }: GroupSizes,
): Promise<Trajectory[]> {
  const seeds = new Map<string, string>();
  const attempts = groups.flatMap(({ task, random }, group) =>
    Array.from({ length: groupSize }, (_, member): Attempt => {
      const own = random.stream(member);
      seeds.set(own.path, random.path);
      const number = firstNumber + group * groupSize + member;
      return { task, number, random: own, memories: [], expertShare: 0, made: [] };
    }),
  );
  return rollout({ ...setup, environment: beginningAlike(setup.environment, seeds) }, attempts);
}

/** The same environment, begun with the seed of a group in place of an attempt's. */
function beginningAlike(environment: Environment, seeds: ReadonlyMap<string, string>): Environment {
  const { tasks } = environment;
  return { tasks, begin: (task, seed) => environment.begin(task, seeds.get(seed)!) };
}
