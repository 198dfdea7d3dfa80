/** Tasks as somebody else brings them, each played once. */
import type { Arrivals } from '@emac/core';

/** Places of a round's tasks, each when it has come; fewer where no others come. */
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
