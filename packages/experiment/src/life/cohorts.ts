/**
 * Returns of episodes by complete cohorts. If an update is shorter than an episode, only short episodes end in it: in
 * the first updates just the lucky ones. A cohort has one episode of every environment, the k-th of each, so it is
 * judged only after the slowest has ended.
 */
import { EmacError } from '@emac/core';
import type { CohortState } from '@emac/opening';
import { z } from 'zod';

export interface Cohorts {
  /** An episode of an environment ended. */
  add(episode: { readonly place: number; readonly return: number }): void;
  /** The mean return of the cohorts completed since the last call; null if none. */
  completed(): number | null;
  readonly state: CohortState;
}

const schema = z.array(z.array(z.number()));

/**
 * `stored` is an earlier `state`; null at the start. Errors: `data` for a state with another number of environments.
 */
export function cohortsOf(environments: number, stored: unknown): Cohorts {
  const read = schema.nullable().safeParse(stored ?? null);
  if (!read.success || (read.data !== null && read.data.length !== environments))
    throw new EmacError(
      'data',
      `training state: its returns must be of ${environments} environments; resume with the settings of that run`,
    );
  const waiting = read.data ?? Array.from({ length: environments }, (): number[] => []);
  return {
    add: (episode) => void waiting[episode.place]!.push(episode.return),
    completed() {
      const count = Math.min(...waiting.map(({ length }) => length));
      if (count === 0) return null;
      const returns = waiting.flatMap((own) => own.splice(0, count));
      return returns.reduce((sum, each) => sum + each, 0) / returns.length;
    },
    get state() {
      return waiting;
    },
  };
}
