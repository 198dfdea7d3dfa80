/**
 * Samples of a dataset as they are drawn: one that cannot be used is passed over as if it were not in the order, so that
 * every update but the last of an epoch is whole, and what is learned does not depend on when a bad one was found.
 */
import { EmacError, type Prompt } from '@emac/core';

export interface OfflineSample {
  readonly prompt: Prompt;
  /** the command that the policy is to say */
  readonly output: string;
  /** a worse command; null where the dataset has none */
  readonly worse: string | null;
}

/** A dataset that may be larger than the memory. */
export interface OfflineData {
  readonly length: number;
  /** null for a sample that cannot be used: it is left out, and so it is whenever it is asked for again */
  sample(index: number): Promise<OfflineSample | null>;
  /** how many samples are known to be left out; absent where none ever is */
  readonly leftOut?: () => number;
}

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

/** What is wrong where every sample of a dataset is left out. */
export function nothingUsable(place: string, { length }: OfflineData): EmacError {
  return new EmacError('data', `${place}: needs a sample that can be used, all ${length} are left out`);
}
