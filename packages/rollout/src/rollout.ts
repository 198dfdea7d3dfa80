/**
 * The rollout: a policy acts in an environment, an expert (if there is one) says at every state what it would have done,
 * and what came of it is a trajectory. Training, evaluation, probes and datasets all come from here. Several episodes
 * are under way at once and decide together, in one group or two; what happens in one does not depend on the others, so how many there are
 * changes the speed and nothing else.
 */
import { EmacError, lockstep, type Answer, type Question, type Trajectory } from '@emac/core';
import type { Attempt, Rollout } from './attempt.ts';
import { playEpisode } from './episode.ts';
import { isInterruption, playedElsewhere } from './recorded.ts';

/**
 * Plays every attempt once; the trajectories are in the order of the attempts. Errors: `interrupted`, `data` for an environment
 * that answers differently than before, those of policy, expert and environment: each once nothing is under way any more;
 * those of `elsewhere`.
 */
export async function rollout(setup: Rollout, attempts: readonly Attempt[]): Promise<Trajectory[]> {
  if (setup.elsewhere) return playedElsewhere(setup, attempts);
  const trajectories: Trajectory[] = [];
  const faults: unknown[] = [];
  const stopIfAsked = (): void => {
    if (faults.length > 0 || setup.signal?.aborted)
      throw new EmacError('interrupted', 'rollout: stopped on request');
  };
  const decide = (questions: readonly Question[]) => setup.policy.decide(questions, setup.sampling);
  const played = groupsOf(attempts, setup.parallel).flatMap(({ seats, waiting }) =>
    lockstep<Question, Answer>(seats, decide).map(async ({ ask, leave }) => {
      try {
        for (const [place, attempt] of waiting)
          trajectories[place] = await playEpisode(setup, attempt, { decide: ask, stopIfAsked });
      } catch (thrown) {
        faults.push(thrown);
      } finally {
        leave();
      }
    }),
  );
  await Promise.all(played);
  // one fault stops the others, which then are interrupted: the first is what there is to say, or one worse than a stop
  if (faults.length > 0) throw faults.find((fault) => !isInterruption(fault)) ?? faults[0];
  return trajectories;
}

/** Episodes that decide together. */
interface Group {
  readonly seats: number;
  /** what is still to be played, by its place among all attempts */
  readonly waiting: IterableIterator<[number, Attempt]>;
}

/**
 * From four episodes on two groups decide in turn: while one is answered, the other steps, draws and encodes. Each has
 * its own attempts, so that what is answered together does not depend on who is faster.
 */
function groupsOf(attempts: readonly Attempt[], parallel: number): Group[] {
  const count = Math.min(parallel, attempts.length) < 4 ? 1 : 2;
  return Array.from({ length: count }, (_, group) => {
    const own = [...attempts.entries()].filter(([place]) => place % count === group);
    return {
      seats: Math.min(Math.ceil((parallel - group) / count), own.length),
      waiting: own.values(),
    };
  });
}
