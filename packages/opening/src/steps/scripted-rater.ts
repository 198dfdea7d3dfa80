/**
 * Ratings of steps by who plays best, as its environment judges them: by whether an action shortened the way to win, or is the best one. Published
 * ratings are a model's, from the pictures before and after; these are exact, and 10, 2 or 0 as its rubric has them.
 */
import { EmacError, type StepEnvironment, type Verdict } from '@emac/core';
import type { StepRater } from '@emac/rollout';
import { localWorld } from '../environments/kind-of.ts';

const ratings: Readonly<Record<Verdict, number>> = { useful: 10, neutral: 2, useless: 0 };

/** For the environments of one id. Errors: `usage` for an unknown one, and one whose steps nobody can rate. */
export function scriptedRater(env: string): StepRater {
  const world = localWorld(env);
  if (!world.judge)
    throw new EmacError('usage', `--utility: nobody rates the steps of ${world.id}; leave it out`);
  return (environment, action) => {
    // what is judged is stepped here, at once
    const verdict = world.judge!(environment as StepEnvironment, action);
    return () => ratings[verdict()];
  };
}
