/**
 * What training remembers: samples of all rounds, added after every episode and drawn uniformly with replacement, as
 * the published ring buffer does. The trainer needs three things of a store; those on disk meet it as well.
 */
import type { Features, Random } from '@emac/core';

export interface SampleStore<Sample> {
  readonly size: number;
  append(sample: Sample): void | Promise<void>;
  /** the sample that was added as the `index`-th, from 0 */
  read(index: number): Sample | Promise<Sample>;
}

export interface SampleOrigin {
  readonly gameId: string;
  readonly round: number;
  readonly step: number;
}

export interface ImitationSample extends SampleOrigin {
  readonly features: Features;
  readonly text: string;
  readonly target: string;
}

export interface PreferenceSample extends SampleOrigin {
  readonly features: Features;
  readonly text: string;
  readonly chosen: string;
  readonly rejected: string;
  /** mean token log-probabilities under the reference policy */
  readonly referenceChosen: number;
  readonly referenceRejected: number;
}

/** A store in memory. */
export function memoryStore<Sample>(samples: Sample[] = []): SampleStore<Sample> {
  return {
    get size() {
      return samples.length;
    },
    append: (sample) => void samples.push(sample),
    read: (index) => samples[index]!,
  };
}

export interface Draw {
  readonly batchSize: number;
  readonly accumulate: number;
  readonly random: Random;
}

/** Indexes of `accumulate` micro-batches of `batchSize` each, uniform over `size` samples, with replacement. */
export function drawMicroBatches(size: number, { batchSize, accumulate, random }: Draw): number[][] {
  const microBatch = (): number[] => Array.from({ length: batchSize }, () => random.integer(size));
  return Array.from({ length: accumulate }, microBatch);
}

/** Total weight of each index; a sample that is drawn twice is computed once with twice the weight. */
export function sumWeights(drawn: Iterable<readonly [index: number, weight: number]>): Map<number, number> {
  const weights = new Map<number, number>();
  for (const [index, weight] of drawn) weights.set(index, (weights.get(index) ?? 0) + weight);
  return weights;
}

/** Adds a sample; where `distinct` is set, only one that has not been stored before, by the words given for it. */
export function distinctAppender<Sample>(
  store: SampleStore<Sample>,
  options: { readonly distinct: boolean; readonly words: (sample: Sample) => readonly string[] },
): (sample: Sample) => Promise<void> {
  const key = (sample: Sample): string => JSON.stringify(options.words(sample));
  let known: Set<string> | undefined;
  return async (sample) => {
    if (options.distinct) {
      known ??= await keysOf(store, key);
      if (known.has(key(sample))) return;
      known.add(key(sample));
    }
    await store.append(sample);
  };
}

/** Read once: a store may hold the samples of a run that was interrupted. */
async function keysOf<Sample>(
  store: SampleStore<Sample>,
  key: (sample: Sample) => string,
): Promise<Set<string>> {
  const keys = new Set<string>();
  for (let index = 0; index < store.size; index++) keys.add(key(await store.read(index)));
  return keys;
}
