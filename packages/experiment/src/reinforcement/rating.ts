/** Who rates the steps of a run of PPO. */
import { EmacError } from '@emac/core';
import type { StepRater } from '@emac/rollout';
import type { PpoConfig } from '../config/ppo-config.ts';
import type { Host } from '../host.ts';
import { openEnvironment } from './ppo-environments.ts';
import { isRobotId } from './robots.ts';
import { scriptedRater } from './scripted-rater.ts';
import { storedRater } from './stored-rater.ts';

/** The rater, null where nothing is rated, and what a resumed run has to find again. Errors: `usage`, `missing`, `io`, `data`. */
export async function openRating(
  { env, utilities, shaping, play }: PpoConfig,
  { listener }: Host,
): Promise<{ readonly rate: StepRater | null; readonly versions: Readonly<Record<string, string>> }> {
  if (shaping.utility === null && utilities === null) return { rate: null, versions: {} };
  if (isRobotId(env))
    throw new EmacError('usage', `--utility: nobody rates the steps of ${env}; leave it out`);
  if (utilities === null) return { rate: scriptedRater(env), versions: {} };
  if (shaping.utility === null)
    throw new EmacError('usage', '--utility-data: belongs to --utility, which was not given');
  const palette = play.palette === 'true' ? null : play.palette;
  const seer = openEnvironment(env, { palette, maxSteps: play.maxSteps });
  const { rate, sha256, pictures } = await storedRater(utilities, { seer, palette: play.palette });
  listener?.note?.(`${pictures} pictures of ${utilities} have ratings`);
  return { rate, versions: { utilities: sha256 } };
}
