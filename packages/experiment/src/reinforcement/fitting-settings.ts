/** Settings of PPO that say nothing where they are given: refused before a run begins. */
import { EmacError } from '@emac/core';
import type { PpoConfig } from '../config/ppo-config.ts';
import { isRobotId, requireHere } from './robots.ts';

/** Errors: `usage` for an environment that does not run here, for a curriculum where an environment has no tasks, and for what belongs to an average of returns that nobody makes. */
export function requireFittingPpo({
  env,
  curriculum,
  best,
}: Pick<PpoConfig, 'env' | 'curriculum' | 'best'>): void {
  requireHere(env);
  if (curriculum.formula !== null && !isRobotId(env))
    throw new EmacError(
      'usage',
      `--curriculum: is for environments with tasks, tabletop/…, got ${env}; leave it out or give none`,
    );
  if (best.ema !== null) return;
  const [flag] = [best.minDelta > 0 && '--min-delta', best.patience !== null && '--patience'].filter(Boolean);
  if (flag) throw new EmacError('usage', `${flag}: belongs to --best-ema, which was not given`);
}
