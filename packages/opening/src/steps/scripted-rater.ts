/**
 * Exact step ratings by an environment's best player: whether an action shortened the way to win, or is the best one.
 * Published ratings come from a model that sees the pictures before and after; these are exact, 10, 2 or 0 as in its
 * rubric.
 */
import { EmacError, type StepEnvironment, type Verdict } from '@emac/core';
import type { StepRater } from '@emac/rollout';
import { localWorld } from '../environments/kind-of.ts';

const ratings: Readonly<Record<Verdict, number>> = { useful: 10, neutral: 2, useless: 0 };

/** For environments of one id. Errors: `usage` for an unknown one, and one without a judge. */
export function scriptedRater(env: string): StepRater {
  const world = localWorld(env);
  if (!world.judge) throw new EmacError('usage', `--utility: ${world.id} has no step ratings; leave it out`);
  return (environment, action) => {
    // environments with a judge are stepped here, synchronously
    const verdict = world.judge!(environment as StepEnvironment, action);
    return () => ratings[verdict()];
  };
}
