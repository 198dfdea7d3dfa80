/** The built-in world as training and evaluation play it: with pictures, and with thoughts where the policy has them. */
import type { WorldSource } from '@emac/core';
import { withThoughts } from '@emac/trainer';
import { renderFrame, worldSource, type Game } from '@emac/world';
import type { Policy } from './policy.ts';

/** One pass over the games. */
export function gamesWorld(
  games: readonly Game[],
  { text, maxSteps }: Pick<Policy, 'text' | 'maxSteps'>,
): WorldSource {
  const source = worldSource(games, { maxSteps, frames: (visible) => renderFrame(visible) });
  return text.thoughts ? withThoughts(source) : source;
}
