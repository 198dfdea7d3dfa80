/**
 * Ratings of steps by who plays best: in MiniGrid by whether an action shortened the way to win, in card games by whether it is the best one. Published
 * ratings are a model's, from the pictures before and after; these are exact, and 10, 2 or 0 as its rubric has them.
 */
import type { StepEnvironment } from '@emac/core';
import { makeGymCards } from '@emac/gym-cards';
import { solve, type MiniGridState } from '@emac/minigrid';
import type { StepRater } from '@emac/rollout';

const [useful, neutral, useless] = [10, 2, 0];

/** For the environments of one id. Errors: `usage` for an unknown one. */
export function scriptedRater(env: string): StepRater {
  return env.startsWith('MiniGrid-') ? rateByWay : byPlay(env);
}

const rateByWay: StepRater = (environment) => {
  const before = wayFrom(environment);
  return () => {
    const after = wayFrom(environment);
    if (after === before) return neutral;
    return after < before ? useful : useless;
  };
};

/** Steps of the shortest way to win; infinite where there is none. */
function wayFrom(environment: StepEnvironment): number {
  const state = () => environment.state() as MiniGridState;
  return solve({ actions: environment.actions, state })?.length ?? Infinity;
}

function byPlay(env: string): StepRater {
  const game = makeGymCards(env);
  return (environment, action) => {
    game.restore(environment.state() as ReturnType<typeof game.state>);
    const rating = action === game.expert() ? useful : useless;
    return () => rating;
  };
}
