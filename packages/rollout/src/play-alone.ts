/** A policy plays without expert, memories or learning: one attempt at each task. */
import type { Random, Trajectory } from '@emac/core';
import { arriving } from './arriving.ts';
import type { Attempt, Rollout } from './attempt.ts';
import { rollout } from './rollout.ts';

export interface PlayAlone extends Omit<Rollout, 'expert' | 'asksPolicy' | 'stopRepeating' | 'policyMemory'> {
  /** for sampled answers */
  readonly random: Random;
  /** ids of tasks to skip */
  readonly known?: { has(id: string): boolean };
}

/**
 * Plays every task of the environment except `known` ones; returns trajectories in task order, or in order of arrival.
 * An attempt's `number` in events is its task's index in the environment. Errors: those of `rollout`.
 */
export async function playAlone({ random, known, ...play }: PlayAlone): Promise<Trajectory[]> {
  const { environment } = play;
  const alone = { ...play, expert: null, asksPolicy: true, stopRepeating: false, policyMemory: false };
  const attempt = (number: number): Attempt => {
    const task = environment.tasks[number]!;
    return { task, number, random: random.stream(task.id), memories: [], expertShare: 0, made: [] };
  };
  const isKnown = (id: string): boolean => known?.has(id) ?? false;
  if (!environment.arrivals) {
    const left = [...environment.tasks.keys()].filter((place) => !isKnown(environment.tasks[place]!.id));
    return rollout(alone, left.map(attempt));
  }
  const played: Trajectory[] = [];
  const isOver = (id: string): boolean => isKnown(id) || played.some(({ task }) => task.id === id);
  const before = environment.tasks.filter(({ id }) => isKnown(id)).length;
  const left = { count: environment.arrivals.count - before, next: environment.arrivals.next };
  for await (const place of arriving(left, isOver)) played.push(...(await rollout(alone, [attempt(place)])));
  return played;
}
