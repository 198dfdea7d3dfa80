/**
 * Reads a dataset's samples in a drawn order and skips unusable ones. So every update except an epoch's last is full,
 * and training does not depend on when a bad sample was found.
 */
import { EmacError, type Prompt, type Target } from '@emac/core';

export interface OfflineSample {
  readonly prompt: Prompt;
  /** the target answer, as it follows the prompt; token ids get no end token */
  readonly output: Target;
  /** the worse answer; null if the dataset has none */
  readonly worse: Target | null;
  /** whether the answer is a good one; null or absent if the dataset does not say */
  readonly label?: boolean | null;
}

/** A dataset that may be larger than the memory. */
export interface OfflineData {
  readonly length: number;
  /** null for an unusable sample, which is skipped every time */
  sample(index: number): Promise<OfflineSample | null>;
  /** first samples of episodes, 0 among them; absent or null: samples are no steps of episodes */
  readonly begins?: ArrayLike<number> | null;
  /** number of samples known to be skipped; absent if none ever is */
  readonly leftOut?: () => number;
}

/** A sample and its number in the dataset. */
export interface NumberedSample extends OfflineSample {
  readonly index: number;
}

export interface UsableSamples {
  readonly samples: readonly NumberedSample[];
  /** samples read, unusable ones included */
  readonly taken: number;
}

export interface Reader {
  /** The next `count` usable samples; fewer only at the end of the order, then none. */
  next(count: number): Promise<UsableSamples>;
}

/**
 * Reads samples one after another, so any cache of the dataset sees that order. It looks ahead to the next usable
 * sample, so the last samples are known to be last: unusable ones after them are counted too.
 */
export function readerOf(data: OfflineData, order: ArrayLike<number>): Reader {
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
  order: ArrayLike<number>,
): Promise<readonly NumberedSample[]> {
  return (await readerOf(data, order).next(order.length)).samples;
}

/** The error if every sample of a dataset is unusable. */
export function nothingUsable(place: string, { length }: OfflineData): EmacError {
  return new EmacError('data', `${place}: needs a usable sample, skipped all ${length}`);
}
