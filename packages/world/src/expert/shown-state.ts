/** A player's knowledge of ALFWorld's state at a moment, as one text. */
import type { History } from '@emac/core';
import { readObservation } from './observation.ts';

/**
 * The last observation that something changed, and the object in hand. A refused command changes nothing, so the
 * moment after it has the name of the moment before. Equal texts are treated as equal states.
 */
export function shownState({ initial, turns }: History): string {
  let [observation, carried]: [string, string | null] = [initial, null];
  for (const turn of turns) {
    const events = readObservation(turn.observation);
    if (events.some(({ kind }) => kind === 'refused')) continue;
    observation = turn.observation;
    for (const event of events) {
      if (event.kind === 'took' || event.kind === 'carrying') carried = event.object;
      if (event.kind === 'put') carried = null;
    }
  }
  return JSON.stringify([observation, carried]);
}
