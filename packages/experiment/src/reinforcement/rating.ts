/** Opens the rater of a PPO run's steps. */
import { EmacError } from '@emac/core';
import { openEnvironment, ownPalette, scriptedRater, type Host } from '@emac/opening';
import type { StepRater } from '@emac/rollout';
import type { PpoConfig } from '@emac/settings';
import { storedRater } from './stored-rater.ts';

/** The rater (null if unused), and the versions a resumed run must match. Errors: `usage`, `missing`, `io`, `data`. */
export async function openRating(
  { env, utilities, shaping, play }: PpoConfig,
  { listener }: Host,
): Promise<{ readonly rate: StepRater | null; readonly versions: Readonly<Record<string, string>> }> {
  if (shaping.utility === null && utilities === null) return { rate: null, versions: {} };
  const rate = scriptedRater(env);
  if (utilities === null) return { rate, versions: {} };
  if (shaping.utility === null)
    throw new EmacError('usage', '--utility-data: belongs to --utility, which was not given');
  const seer = openEnvironment(env, { palette: ownPalette(play.palette), maxSteps: play.maxSteps });
  const { sha256, pictures, ...stored } = await storedRater(utilities, { seer, palette: play.palette });
  listener?.note?.(`${pictures} pictures of ${utilities} have ratings`);
  return { rate: stored.rate, versions: { utilities: sha256 } };
}
