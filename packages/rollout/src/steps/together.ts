/**
 * Groups of environments whose prompts form one batch. The batch changes the last bits of numbers, so groups are a
 * setting of the method. A group played alone, here or by a worker, gives the same bits as in a process that plays all
 * groups.
 */
import { EmacError } from '@emac/core';

/** Places of a group, from the first to the one before `end`. */
export interface Group {
  readonly first: number;
  readonly end: number;
}

/**
 * Groups of `together` consecutive environments; the last may be smaller. Null: one group. Errors: `internal` for
 * groups of none.
 */
export function groupsOf(count: number, together: number | null | undefined): readonly Group[] {
  const size = together ?? Math.max(1, count);
  if (!(size >= 1)) throw new EmacError('internal', `groups: must have 1 place or more, got ${size}`);
  return Array.from({ length: Math.ceil(count / size) }, (_, group) => {
    const first = group * size;
    return { first, end: Math.min(count, first + size) };
  });
}

/** Calls `ask` group by group, one after another; returns its results by item. */
export async function askedTogether<Item, Said>(
  items: readonly Item[],
  together: number | null | undefined,
  ask: (items: readonly Item[], group: Group) => Promise<Said>,
): Promise<readonly Said[]> {
  const said: Said[] = [];
  for (const group of groupsOf(items.length, together))
    said.push(await ask(items.slice(group.first, group.end), group));
  return said;
}
