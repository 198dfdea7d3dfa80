/**
 * Samples of a dataset as they are drawn: one that cannot be used is passed over as if it were not in the order, so that
 * every update but the last of an epoch is whole, and what is learned does not depend on when a bad one was found.
 */
import { EmacError, type Completion, type Prompt } from '@emac/core';

export interface OfflineSample {
  readonly prompt: Prompt;
  /** what the policy is to say, as it stands behind the prompt; ids get no end token */
  readonly output: Completion;
  /** what is worse; null where the dataset has none */
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

export interface Reader {
  /** The next `count` usable samples; fewer only where the order ends, none once it has ended. */
  next(count: number): Promise<UsableSamples>;
}

/**
 * Reads an order one sample after the other: whatever a dataset keeps has that order. It looks as far ahead as the next
 * usable sample, so that the last ones are known to be the last: what follows them has been gone through too.
 */
export function readerOf(data: OfflineData, order: readonly number[]): Reader {
  let gone = 0;
  let ahead: NumberedSample | null = null;
  const nextUsable = async (): Promise<NumberedSample | null> => {
    for (; gone < order.length; gone++) {
      const index = order[gone]!;
      const sample = await data.sample(index);
      if (sample !== null) return { ...sample, index };
    }
    return null;
  };
  return {
    async next(count) {
      const before = gone;
      const samples: NumberedSample[] = [];
      while (samples.length < count) {
        const sample = ahead ?? (await nextUsable());
        ahead = null;
        if (sample === null) break;
        samples.push(sample);
        gone++;
      }
      // a fault ahead is met again when that sample is needed
      if (samples.length === count) ahead = await nextUsable().catch(() => null);
      return { samples, taken: gone - before };
    },
  };
}

/** All usable samples of an order. */
export async function usableSamples(
  data: OfflineData,
  order: readonly number[],
): Promise<readonly NumberedSample[]> {
  return (await readerOf(data, order).next(order.length)).samples;
}

/** What is wrong where every sample of a dataset is left out. */
export function nothingUsable(place: string, { length }: OfflineData): EmacError {
  return new EmacError('data', `${place}: needs a sample that can be used, all ${length} are left out`);
}
