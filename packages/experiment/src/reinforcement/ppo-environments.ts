/** The environments that come with this product, by their published ids: as they are played, and as a policy meets them. */
import { EmacError, type StepEnvironment } from '@emac/core';
import { makeGymCards } from '@emac/gym-cards';
import { miniGrid, type Palette } from '@emac/minigrid';
import type { PpoConfig } from '../config/ppo-config.ts';
import { environmentId } from './environment-id.ts';

export interface EnvironmentSettings {
  /** colours of MiniGrid; null for its own */
  readonly palette: Palette | null;
  /** steps after which an episode is cut off; null for the environment's own limit */
  readonly maxSteps: number | null;
  /** MiniGrid: pixels of a cell's side; its own where this is left out */
  readonly tileSize?: number;
}

/** A new environment, whose `-v0` may be left out. Errors: `usage` for an unknown id, and for a palette of cards. */
export function openEnvironment(
  name: string,
  { palette, maxSteps, ...picture }: EnvironmentSettings,
): StepEnvironment {
  const id = environmentId(name);
  const limit = maxSteps === null ? {} : { maxSteps };
  if (id.startsWith('MiniGrid-')) return miniGrid(id, { ...limit, ...picture, palette: palette ?? 'true' });
  if (palette !== null) throw new EmacError('usage', `--palette: is for MiniGrid-…, got ${id}; leave it out`);
  return makeGymCards(id, limit);
}

/** Pixels of a cell's side in the picture that a convolutional network reads. */
const smallTile = 8;

/** A new environment; `policy` decides how large its pictures are. Errors: those of `openEnvironment`. */
export function ppoEnvironment({
  env,
  policy,
  play: { maxSteps, palette },
}: Pick<PpoConfig, 'env' | 'policy' | 'play'>): StepEnvironment {
  const isOwn = palette === 'true';
  const picture = policy === 'cnn' ? { tileSize: smallTile } : {};
  return openEnvironment(env, { maxSteps, palette: isOwn ? null : palette, ...picture });
}
