/**
 * The rollout: a policy acts in an environment, an optional expert labels every state, and each episode becomes a
 * trajectory. Training, evaluation, probes and datasets all come from here. Several episodes run at once and decide
 * together, in one group or two. Episodes do not affect each other, so their number changes the speed only.
 */
import { EmacError, lockstep, type Answer, type JointStep, type Question, type Trajectory } from '@emac/core';
import type { Attempt, Done, Rollout } from './attempt.ts';
import { playEpisode } from './episode.ts';
import { isInterruption, playElsewhere } from './recorded.ts';

/**
 * Plays every attempt once; returns trajectories in the order of the attempts. Errors: `interrupted`; `data` for an
 * environment that answers differently than before; those of policy, expert, environment and `elsewhere`. Each is
 * thrown after all work has ended.
 */
export async function rollout(setup: Rollout, attempts: readonly Attempt[]): Promise<Trajectory[]> {
  const trajectories: Trajectory[] = [];
  await rolloutEach(setup, attempts, (place, trajectory) => void (trajectories[place] = trajectory));
  return trajectories;
}

/** The same, but hands over each trajectory once it has ended, in any order. Errors: also those of `done`. */
export async function rolloutEach(setup: Rollout, attempts: readonly Attempt[], done: Done): Promise<void> {
  if (setup.elsewhere) return playElsewhere(setup, attempts, done);
  const faults: unknown[] = [];
  const stopIfAsked = (): void => {
    if (faults.length > 0 || setup.signal?.aborted)
      throw new EmacError('interrupted', 'rollout: stopped on request');
  };
  const decide = inOrder((questions) => setup.policy.decide(questions, setup.sampling));
  const played = groupsOf(attempts, setup.parallel).flatMap(({ seats, waiting }) =>
    lockstep<Placed, Answer>(seats, decide).map(async ({ ask, leave }) => {
      try {
        for (const [place, attempt] of waiting) {
          const asking = (question: Question) => ask({ place, question });
          await done(place, await playEpisode(setup, attempt, { decide: asking, stopIfAsked }));
        }
      } catch (thrown) {
        faults.push(thrown);
      } finally {
        leave();
      }
    }),
  );
  await Promise.all(played);
  // one fault interrupts the others: throw the fault, not the interruptions
  if (faults.length > 0) throw faults.find((fault) => !isInterruption(fault)) ?? faults[0];
}

interface Placed {
  /** of the attempt among all */
  readonly place: number;
  readonly question: Question;
}

/**
 * Asks in the order of the attempts. Where two end at the same step, their environments' speed decides which of them takes the next
 * attempt first; the batch is the same either way.
 */
function inOrder(
  decide: (questions: readonly Question[]) => Promise<readonly Answer[]>,
): JointStep<Placed, Answer> {
  return async (asked) => {
    const sorted = asked.toSorted((one, other) => one.place - other.place);
    const answers = await decide(sorted.map(({ question }) => question));
    return asked.map((each) => answers[sorted.indexOf(each)]!);
  };
}

/** Episodes that share a batch. */
interface Group {
  readonly seats: number;
  /** attempts still to play, with their index among all attempts */
  readonly waiting: IterableIterator<[number, Attempt]>;
}

/**
 * From four episodes on, two groups decide in turn: while one is answered, the other steps, draws and encodes. Each has
 * its own attempts, so batches do not depend on timing.
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
