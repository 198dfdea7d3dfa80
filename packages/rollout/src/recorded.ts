/**
 * Episodes that somebody else has played. The trainer goes through them with the very function that plays episodes, over an
 * environment that repeats what was said: so events, logs and what is learned from are made in one place, wherever an
 * episode was played, and a slow environment costs the trainer nothing.
 */
import {
  EmacError,
  invariant,
  LostEpisode,
  type Environment,
  type Episode,
  type Expert,
  type Trajectory,
} from '@emac/core';
import { madeStep, type Attempt, type RecordedEpisode, type Rollout } from './attempt.ts';
import { playEpisode, type Together } from './episode.ts';

/** What another process needs of a trajectory to go through it again. */
export function recordedEpisode({ first, steps, fault }: Trajectory): RecordedEpisode {
  return {
    first,
    steps: steps.map(({ answer, label, action, result }) => ({ answer, label, action, result })),
    fault: fault ?? null,
  };
}

/** Has every attempt played elsewhere, and goes through each as it comes. Errors: as `rollout`, those of `elsewhere`. */
export async function playedElsewhere(setup: Rollout, attempts: readonly Attempt[]): Promise<Trajectory[]> {
  const trajectories: Trajectory[] = [];
  for await (const [place, episode] of setup.elsewhere!(setup, attempts)) {
    const attempt = attempts[place];
    invariant(attempt && !trajectories[place], `rollout: attempt ${place} came back twice, or is none`);
    trajectories[place] = await playAgain(setup, attempt, episode);
  }
  const missing = attempts.findIndex((_, place) => !trajectories[place]);
  invariant(missing < 0, `rollout: attempt ${missing} was not played`);
  return trajectories;
}

/**
 * The trajectory of a recorded episode, told step by step as if it were played now; its steps are the attempt's from then on.
 * Nobody is asked. Errors: `data` where the attempt was begun before and went otherwise; those of `report` and `encode`.
 */
export async function playAgain(
  setup: Rollout,
  attempt: Attempt,
  episode: RecordedEpisode,
): Promise<Trajectory> {
  requireSameBeginning(attempt, episode);
  const made = episode.steps.map(madeStep);
  const environment = repeating(setup.environment, episode);
  const { expert, together } = atItsEnd(episode);
  const trajectory = await playEpisode(
    { ...setup, environment, expert: setup.expert && expert },
    { ...attempt, made: [...made] },
    together,
  );
  attempt.made.push(...made.slice(attempt.made.length));
  return trajectory;
}

/** Says what was said, whatever is done. */
function repeating({ tasks }: Environment, { first, steps }: RecordedEpisode): Environment {
  return {
    tasks,
    begin: async (task): Promise<Episode> => {
      const said = steps.values();
      return {
        task,
        first,
        step: async (action) => {
          const { value: step } = said.next();
          invariant(step?.action === action, `recorded episode: has no "${action}" at this place`);
          return step.result;
        },
        close: async () => {},
      };
    },
  };
}

/** Who is asked after the last step: there the environment failed, or the expert had no label that somebody had to act by. */
function atItsEnd({ fault }: RecordedEpisode): { readonly expert: Expert; readonly together: Together } {
  const throwFault = (): void => {
    if (fault !== null) throw new LostEpisode(fault);
  };
  return {
    expert: {
      label: async () => {
        throwFault();
        return { kind: 'unusable', reason: 'as it was' };
      },
    },
    together: {
      decide: async () => {
        throwFault();
        throw new EmacError('internal', 'recorded episode: has no end');
      },
      stopIfAsked: () => {},
    },
  };
}

function requireSameBeginning({ task, made }: Attempt, { steps }: RecordedEpisode): void {
  const place = made.findIndex(({ action }, index) => steps[index]?.action !== action);
  if (place < 0) return;
  const actions = `"${made[place]!.action}" before the interruption and "${steps[place]?.action ?? 'nothing'}" elsewhere`;
  throw new EmacError('data', `rollout: ${task.id}, step ${place}: was ${actions}; begin a new run`);
}
