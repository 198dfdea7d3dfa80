/** Checkpoint names of earlier policy versions: the parameter's name after the version's number, oldest first. */
import type { ParameterSet } from '@emac/core';

const prefix = (place: number): string => `earlier.${place}.`;

/** As checkpoints have them. */
export function namesOfEarlier(versions: readonly ParameterSet[]): ParameterSet {
  return new Map(
    versions.flatMap((version, place) =>
      [...version].map(([name, tensor]) => [`${prefix(place)}${name}`, tensor] as const),
    ),
  );
}

/** Of the tensors of a checkpoint earlier versions, oldest first. */
export function earlierOf(tensors: ParameterSet): ParameterSet[] {
  const versions: ParameterSet[] = [];
  for (;;) {
    const start = prefix(versions.length);
    const own = [...tensors].filter(([name]) => name.startsWith(start));
    if (own.length === 0) return versions;
    versions.push(new Map(own.map(([name, tensor]) => [name.slice(start.length), tensor])));
  }
}
