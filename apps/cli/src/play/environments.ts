/** The environments that are stepped by number, by their published ids. */
import { EmacError, type StepEnvironment } from '@emac/core';
import { gymCardsIds, makeGymCards } from '@emac/gym-cards';
import { miniGrid, miniGridIds, type Palette } from '@emac/minigrid';
import { editDistance } from '@emac/postprocess';

export interface EnvironmentSettings {
  readonly palette: Palette | null;
  readonly maxSteps: number | null;
}

const ids = [...gymCardsIds, ...miniGridIds];

/** The environment of an id, whose `-v0` may be left out. Errors: `usage` for another id, with those that are near, and for a palette of cards. */
export function namedEnvironment(name: string, { palette, maxSteps }: EnvironmentSettings): StepEnvironment {
  const id = [name, `${name}-v0`].find((each) => ids.includes(each));
  if (id === undefined) {
    const near = nearIds(name, Infinity).slice(0, 3);
    throw new EmacError('usage', `${name}: is no environment; near it are ${near.join(', ')}`);
  }
  const limit = maxSteps === null ? {} : { maxSteps };
  if (miniGridIds.includes(id)) return miniGrid(id, { ...limit, palette: palette ?? 'true' });
  if (palette !== null) throw new EmacError('usage', `--palette: is for MiniGrid-…, got ${id}; leave it out`);
  return makeGymCards(id, limit);
}

/** Ids that differ from what was typed by at most so many letters, the nearest first; version and folder may be left out. */
export function nearIds(typed: string, most: number): string[] {
  const distances = ids.map((id) => {
    const forms = [id, id.replace(/-v\d$/, ''), id.replace('gym_cards/', '')];
    return {
      id,
      distance: Math.min(...forms.map((form) => editDistance(typed.toLowerCase(), form.toLowerCase()))),
    };
  });
  return distances
    .filter(({ distance }) => distance <= most)
    .sort((one, other) => one.distance - other.distance)
    .map(({ id }) => id);
}
