/** Which environment a name means. */
import { EmacError } from '@emac/core';
import { gymCardsIds } from '@emac/gym-cards';
import { miniGridIds } from '@emac/minigrid';

/** The published id that a name means, whose `-v0` may be left out. Errors: `usage`. */
export function environmentId(name: string): string {
  const ids = [...gymCardsIds, ...miniGridIds];
  const id = [name, `${name}-v0`].find((each) => ids.includes(each));
  if (id !== undefined) return id;
  throw new EmacError(
    'usage',
    `--env: ${name} is no environment; give a gym_cards/… or MiniGrid-… id, such as ${gymCardsIds[0]} or ${miniGridIds[0]}`,
  );
}
