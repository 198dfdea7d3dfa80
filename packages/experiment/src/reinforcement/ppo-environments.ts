/** The environments that come with this product, as a policy meets them: by published ids, with the picture that it can read. */
import { EmacError, type StepEnvironment } from '@emac/core';
import { makeGymCards } from '@emac/gym-cards';
import { miniGrid, miniGridIds } from '@emac/minigrid';
import type { PpoConfig } from '../config/ppo-config.ts';

/** Pixels of a cell's side in the picture that a convolutional network reads. */
const smallTile = 8;

/** A new environment; `policy` decides how large its pictures are. Errors: `usage` for a palette of cards. */
export function ppoEnvironment({
  env,
  policy,
  play,
}: Pick<PpoConfig, 'env' | 'policy' | 'play'>): StepEnvironment {
  const { maxSteps, palette } = play;
  const limit = maxSteps === null ? {} : { maxSteps };
  if (miniGridIds.includes(env))
    return miniGrid(env, { ...limit, palette, ...(policy === 'cnn' && { tileSize: smallTile }) });
  if (palette !== 'true')
    throw new EmacError('usage', `--palette: is for MiniGrid-…, got ${env}; leave it out`);
  return makeGymCards(env, limit);
}
