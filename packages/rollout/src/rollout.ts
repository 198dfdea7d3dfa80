/**
 * The rollout: a policy acts in an environment, an expert (if there is one) says at every state what it would have done,
 * and what came of it is a trajectory. Training, evaluation, probes and datasets all come from here. Several episodes
 * are under way at once and decide together, in one group or two; what happens in one does not depend on the others, so how many there are
 * changes the speed and nothing else.
 */
import { EmacError, lockstep, type Answer, type Question, type Trajectory } from '@emac/core';
import type { Attempt, Rollout } from './attempt.ts';
import { playEpisode } from './episode.ts';

/**
 * Plays every attempt once; the trajectories are in the order of the attempts. Errors: `interrupted`, `data` for an environment
 * that answers otherwise than before, those of policy, expert and environment: each once nothing is under way any more.
 */
export async function rollout(setup: Rollout, attempts: readonly Attempt[]): Promise<Trajectory[]> {
  const trajectories: Trajectory[] = [];
  const waiting = attempts.entries();
  const faults: unknown[] = [];
  const stopIfAsked = (): void => {
    if (faults.length > 0 || setup.signal?.aborted)
      throw new EmacError('interrupted', 'rollout: stopped on request');
  };
  const decide = (questions: readonly Question[]) => setup.policy.decide(questions, setup.sampling);
  const seats = groupSizes(Math.min(setup.parallel, attempts.length)).flatMap((size) =>
    lockstep<Question, Answer>(size, decide),
  );
  const played = seats.map(async ({ ask, leave }) => {
    try {
      for (const [place, attempt] of waiting)
        trajectories[place] = await playEpisode(setup, attempt, { decide: ask, stopIfAsked });
    } catch (thrown) {
      faults.push(thrown);
    } finally {
      leave();
    }
  });
  await Promise.all(played);
  // one fault stops the others, which then are interrupted: the first is what there is to say, or one worse than a stop
  if (faults.length > 0) throw faults.find((fault) => !isInterruption(fault)) ?? faults[0];
  return trajectories;
}

/** From four episodes on two groups decide in turn: while one is answered, the other steps, draws and encodes. */
function groupSizes(seats: number): number[] {
  return seats < 4 ? [seats] : [Math.ceil(seats / 2), Math.floor(seats / 2)];
}

function isInterruption(thrown: unknown): boolean {
  return thrown instanceof EmacError && thrown.code === 'interrupted';
}
