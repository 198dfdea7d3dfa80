/** Chooses the elements of a batch: uniform over the whole buffer, with a given generator. */
import { invariant } from '@emac/core';
import type { Random } from '@emac/core';

export interface SampleOptions {
  /** an element may occur twice in one batch; default true */
  readonly replacement?: boolean;
}

/** `count` indices below `length`, uniform; without replacement `count` may not exceed `length`. */
export function sampleIndices(
  { length, count }: { readonly length: number; readonly count: number },
  random: Random,
  { replacement = true }: SampleOptions = {},
): number[] {
  invariant(length > 0 || count === 0, 'sampleIndices: the buffer is empty');
  if (replacement) return Array.from({ length: count }, () => random.integer(length));
  invariant(count <= length, `sampleIndices: cannot take ${count} of ${length} without replacement`);
  return firstOfShuffle(length, count, random);
}

/** A Fisher–Yates shuffle stopped early; only moved positions are stored, so a large buffer costs nothing. */
function firstOfShuffle(length: number, count: number, random: Random): number[] {
  const moved = new Map<number, number>();
  return Array.from({ length: count }, (_, place) => {
    const other = place + random.integer(length - place);
    const taken = moved.get(other) ?? other;
    moved.set(other, moved.get(place) ?? place);
    return taken;
  });
}
