/** A policy plays without expert, memories or learning: one attempt at each task, or several. */
import {
  invariant,
  type Arrivals,
  type Environment,
  type Random,
  type Task,
  type Trajectory,
} from '@emac/core';
import type { Attempt, Rollout } from './attempt.ts';
import { rollout } from './rollout.ts';

export interface PlayAlone extends Omit<
  Rollout,
  'environment' | 'expert' | 'asksPolicy' | 'stopRepeating' | 'policyMemory'
> {
  readonly environment: Environment;
  /** for sampled answers */
  readonly random: Random;
  /** the environment's seed of a task; absent or undefined: the names of `random` */
  readonly seedOf?: (task: Task) => string | undefined;
  /** attempts at each task, all beginning alike; more than 1 need tasks that are known before play; default 1 */
  readonly attempts?: number;
  /** names of attempts to skip */
  readonly known?: { has(name: string): boolean };
}

/** The name of a task's n-th attempt, from 0: the first has the task's own. */
export function attemptName(taskId: string, attempt: number): string {
  return attempt === 0 ? taskId : `${taskId} attempt ${attempt + 1}`;
}

/**
 * Plays every task of the environment except `known` attempts; returns trajectories in task order, attempts at a task
 * one after another, or in order of arrival. An attempt's `number` in events is its task's index in the environment
 * times `attempts`, plus its place among them. The first attempt draws as a single one. Errors: those of `rollout`.
 */
export async function playAlone({
  random,
  seedOf,
  known,
  attempts = 1,
  ...play
}: PlayAlone): Promise<Trajectory[]> {
  const { environment } = play;
  const alone = { ...play, expert: null, asksPolicy: true, stopRepeating: false, policyMemory: false };
  const attempt = (number: number): Attempt => {
    const task = environment.tasks[Math.floor(number / attempts)]!;
    const again = number % attempts;
    const first = random.stream(task.id);
    const seed = seedOf?.(task);
    const beginning = { task, number, memories: [], expertShare: 0, made: [] };
    return again === 0
      ? { ...beginning, random: first, ...(seed !== undefined && { seed }) }
      : { ...beginning, random: first.stream('attempt').stream(again), seed: seed ?? first.path };
  };
  const isKnown = (name: string): boolean => known?.has(name) ?? false;
  if (!environment.arrivals) {
    const numbers = Array.from({ length: environment.tasks.length * attempts }, (_, number) => number);
    const left = numbers
      .map(attempt)
      .filter(({ task, number }) => !isKnown(attemptName(task.id, number % attempts)));
    return rollout(alone, left);
  }
  invariant(attempts === 1, `rollout: tasks that arrive have one attempt each, got ${attempts}`);
  const played: Trajectory[] = [];
  const isOver = (id: string): boolean => isKnown(id) || played.some(({ task }) => task.id === id);
  const before = environment.tasks.filter(({ id }) => isKnown(id)).length;
  const left = { count: environment.arrivals.count - before, next: environment.arrivals.next };
  for await (const place of arriving(left, isOver)) played.push(...(await rollout(alone, [attempt(place)])));
  return played;
}

/** Yields the places of a round's tasks as they arrive; ends early if no more arrive. */
export async function* arriving(
  arrivals: Arrivals,
  isOver: (taskId: string) => boolean,
): AsyncGenerator<number> {
  for (let played = 0; played < arrivals.count; played++) {
    const place = await arrivals.next(({ id }) => !isOver(id));
    if (place === null) return;
    yield place;
  }
}
