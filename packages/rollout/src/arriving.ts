/** Tasks that a client brings, each played once. */
import type { Arrivals } from '@emac/core';

/** Yields the places of a round's tasks as they arrive; ends early if no more arrive. */
export async function* arriving(
  arrivals: Arrivals,
  isOver: (taskId: string) => boolean,
): AsyncGenerator<number> {
  for (let played = 0; played < arrivals.count; played++) {
    const place = await arrivals.next(({ id }) => !isOver(id));
    if (place === null) return;
    yield place;
  }
}
