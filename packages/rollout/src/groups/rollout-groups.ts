/** Groups of attempts that begin alike: one task, one environment seed, but separate draws for each attempt. */
import type { Random, Task, Trajectory } from '@emac/core';
import type { Attempt, Rollout } from '../attempt.ts';
import { rollout } from '../rollout.ts';

export interface AttemptGroup {
  readonly task: Task;
  /** its name is the environment seed of every attempt; each attempt draws from the stream of its index */
  readonly random: Random;
}

export interface GroupSizes {
  /** G */
  readonly groupSize: number;
  /** number of the first attempt in events */
  readonly firstNumber: number;
}

/** Plays G attempts per group; returns trajectories group after group [P · G]. Errors: those of `rollout`. */
export function rolloutGroups(
  setup: Rollout,
  groups: readonly AttemptGroup[],
  { groupSize, firstNumber }: GroupSizes,
): Promise<Trajectory[]> {
  const attempts = groups.flatMap(({ task, random }, group) =>
    Array.from({ length: groupSize }, (_, member): Attempt => {
      const number = firstNumber + group * groupSize + member;
      const own = { random: random.stream(member), seed: random.path };
      return { task, number, ...own, memories: [], expertShare: 0, made: [] };
    }),
  );
  return rollout(setup, attempts);
}
