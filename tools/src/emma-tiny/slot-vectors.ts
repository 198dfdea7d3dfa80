import type { Vocabulary } from '../tiny-model/vocabulary.ts';
import { slotIds } from './encoded-row.ts';
import type { Slot } from './slots.ts';

/** The language model's word vectors [vocabulary, width]. */
export interface WordVectors {
  readonly data: Float32Array;
  readonly width: number;
}

/** The sum of the vectors of each slot's words [slots, width]: a frame's visual tokens without fault. */
export function slotVectors(
  slots: readonly Slot[],
  vocabulary: Vocabulary,
  { data, width }: WordVectors,
): Float32Array {
  const sums = new Float32Array(slots.length * width);
  slots.forEach((slot, place) => {
    for (const id of slotIds(slot, vocabulary))
      if (id >= 0) for (let i = 0; i < width; i++) sums[place * width + i]! += data[id * width + i]!;
  });
  return sums;
}
