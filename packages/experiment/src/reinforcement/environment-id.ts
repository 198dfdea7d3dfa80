/** Which environment that is stepped a name means. */
import { EmacError } from '@emac/core';
import { gymCardsIds } from '@emac/gym-cards';
import { miniGridIds } from '@emac/minigrid';
import { editDistance } from '@emac/postprocess';
import { tabletopIds } from '@emac/tabletop';
import { isRobotId, robotId } from './robots.ts';

const ids = [...gymCardsIds, ...miniGridIds, ...tabletopIds];

/** The published id that a name means, whose `-v0` may be left out. Errors: `usage` for another name, with the ids that are near. */
export function environmentId(name: string): string {
  if (isRobotId(name)) return robotId(name);
  const id = [name, `${name}-v0`].find((each) => ids.includes(each));
  if (id !== undefined) return id;
  const near = nearEnvironmentIds(name, Infinity).slice(0, 3);
  throw new EmacError('usage', `${name}: is no environment; near it are ${near.join(', ')}`);
}

/** Ids that differ from what was typed by at most so many letters, the nearest first; version and folder may be left out. */
export function nearEnvironmentIds(typed: string, most: number): string[] {
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
