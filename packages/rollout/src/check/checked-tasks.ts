/** The tasks of an environment: equal numbers give equal tasks, and none is named twice. */
import type { OpenedKind, TaskSource } from '@emac/core';

/** of each set at most so many */
const most = 2000;

/** The first fault in one sentence; null for none. */
export function namedTwice({ training, heldOut }: OpenedKind['tasks']): string | null {
  const own = idsOf(training);
  const other = idsOf(heldOut);
  const sets = [
    ['training', training, own],
    ['held-out', heldOut, other],
  ] as const;
  for (const [name, source, ids] of sets) {
    const first = ids.findIndex((id, number) => ids.indexOf(id) < number);
    if (first >= 0) return `${name} task ${first} is ${ids[first]}, as is ${ids.indexOf(ids[first]!)}`;
    const changed = ids.findIndex((id, number) => source.at(number).id !== id);
    if (changed >= 0)
      return `${name} task ${changed} was ${ids[changed]} and is ${source.at(changed).id} when asked again`;
  }
  const both = other.findIndex((id) => own.includes(id));
  if (both < 0) return null;
  return `${other[both]} is held-out task ${both} and training task ${own.indexOf(other[both]!)}: remove it from one`;
}

function idsOf({ count, at }: TaskSource): string[] {
  return Array.from({ length: Math.min(most, count ?? most) }, (_, number) => at(number).id);
}
