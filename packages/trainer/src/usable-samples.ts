/**
 * Samples of a dataset as they are drawn: one that cannot be used is passed over as if it were not in the order, so that
 * every update but the last of an epoch is whole, and what is learnt does not depend on when a bad one was found.
 */
import type { OfflineData, OfflineSample } from './offline-learner.ts';

/** A sample and its number in the dataset. */
export interface NumberedSample extends OfflineSample {
  readonly index: number;
}

export interface UsableSamples {
  readonly samples: readonly NumberedSample[];
  /** numbers that were gone through, those of samples that cannot be used included */
  readonly taken: number;
}

/** The first `count` usable samples of an order, read one after the other: whatever a dataset keeps has that order. */
export async function usableSamples(
  data: OfflineData,
  order: readonly number[],
  count = order.length,
): Promise<UsableSamples> {
  const samples: NumberedSample[] = [];
  let taken = 0;
  while (samples.length < count && taken < order.length) {
    const index = order[taken++]!;
    const sample = await data.sample(index);
    if (sample !== null) samples.push({ ...sample, index });
  }
  return { samples, taken };
}
