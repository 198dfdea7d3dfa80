/** A policy plays by itself: one attempt at each task, without expert, memories or learning. */
import type { Random, Trajectory } from '@emac/core';
import type { Rollout } from './attempt.ts';
import { rollout } from './rollout.ts';

export interface PlayAlone extends Omit<Rollout, 'expert' | 'asksPolicy' | 'stopRepeating' | 'policyMemory'> {
  /** of sampled answers */
  readonly random: Random;
  /** tasks that are passed over, by id */
  readonly known?: { has(id: string): boolean };
}

/**
 * Plays every task of the environment that is not `known`; trajectories in the order of the tasks. The `number` of an attempt, in
 * events, is its task's place in the environment. Errors: those of `rollout`.
 */
export function playAlone({ random, known, ...play }: PlayAlone): Promise<Trajectory[]> {
  const alone = { expert: null, asksPolicy: true, stopRepeating: false, policyMemory: false };
  const attempts = [...play.environment.tasks.entries()]
    .filter(([, { id }]) => !known?.has(id))
    .map(([number, task]) => {
      return { task, number, random: random.stream(task.id), memories: [], expertShare: 0, made: [] };
    });
  return rollout({ ...play, ...alone }, attempts);
}
