/**
 * Environments where a robot is moved by numbers, and those with a fixed number of starts, for training and held out.
 */
import { EmacError, type MovedWorld, type Random, type Seed, type TaskSet } from '@emac/core';
import { kindNamed, localWorld } from '../environments/kind-of.ts';

/** An action: a number, a robot's numbers, or words. */
export type StepAction = number | readonly number[] | string;

/** A robot as it is moved. Errors: `usage` for an environment that has none, or does not run here. */
export function movedWorld(env: string): MovedWorld {
  const { moved, id } = localWorld(env);
  if (moved) return moved;
  throw new EmacError('usage', `${id}: has no robot with numeric actions; give an environment with one`);
}

/**
 * The name of a robot's suite, or of a dataset: the key of action statistics. Errors: `usage` for an environment
 * without a robot.
 */
export function suiteName(env: string): string {
  const kind = kindNamed(env);
  if (kind === null) return env;
  if (kind.robot) return kind.robot.suiteOf(env);
  throw new EmacError(
    'usage',
    `${env}: has no statistics of robot actions; give an environment with a robot`,
  );
}

/** A start that its environment counts by the seed. */
export interface CountedStart {
  readonly seed: Seed;
  /** of the task */
  readonly id: string;
  /** the instruction */
  readonly task: string;
}

/**
 * All starts of a set, in numbered order; null for endless seeds. Errors: `usage` for an environment that does not run
 * here.
 */
export function countedStarts(env: string, set: TaskSet): readonly CountedStart[] | null {
  const source = localWorld(env).tasks[set];
  if (source.count === null) return null;
  return Array.from({ length: source.count }, (_, seed) => {
    const { id, type } = source.at(seed);
    return { seed, id, task: type ?? env };
  });
}

/** The tasks of an environment with numbered starts, and a start of each, for a curriculum. */
export function countedTasks(env: string) {
  const starts = countedStarts(env, 'training') ?? [];
  const tasks = [...new Set(starts.map(({ task }) => task))];
  const of = new Map(tasks.map((task) => [task, starts.filter((start) => start.task === task)]));
  return { tasks, seedOf: (task: string, random: Random): Seed => random.pick(of.get(task)!).seed };
}
