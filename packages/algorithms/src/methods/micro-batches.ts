/**
 * The samples of an update: `accumulate` micro-batches drawn uniformly from the whole buffer, all rounds, by default
 * with replacement, like the published ring buffer. A sample drawn twice is computed once, with the sum of its weights.
 */
import { sampleIndices } from '@emac/buffers';
import type { Gradient, GradientRow, Loss, Random, Trainable } from '@emac/core';
import { scaledRows, unscaled } from '@emac/optim';
import { drawnEpisodes, type EpisodePlaces } from '../episode-order.ts';

export interface Draw {
  readonly batchSize: number;
  readonly accumulate: number;
  readonly random: Random;
  /** a sample may come twice in one micro-batch, as published */
  readonly replacement: boolean;
}

/** Indexes of `accumulate` micro-batches of `batchSize` each, of `length` samples; with episodes their steps together. */
export function drawMicroBatches(
  length: number,
  { batchSize, accumulate, random, replacement }: Draw,
  episodes: readonly EpisodePlaces[] | null = null,
): readonly (readonly number[])[] {
  const count = replacement ? batchSize : Math.min(batchSize, length);
  if (episodes) return Array.from({ length: accumulate }, () => drawnEpisodes(episodes, { count, random }));
  return Array.from({ length: accumulate }, () => sampleIndices({ length, count }, random, { replacement }));
}

interface Computed<Sample> {
  readonly policy: Trainable;
  readonly loss: Loss;
  readonly lossScale: number;
  /** the weight of each sample of a micro-batch in its loss; an update is the mean of its micro-batches */
  readonly weightIn: (microBatch: readonly Sample[]) => (sample: Sample) => number;
  readonly rowOf: (sample: Sample, weight: number) => GradientRow;
}

/** The gradient of an update, and what the loss read of a sample. All rows go to the policy at once, each sample with the sum of its weights. */
export async function gradientOver<Sample>(
  microBatches: readonly (readonly Sample[])[],
  { policy, loss, lossScale, weightIn, rowOf }: Computed<Sample>,
): Promise<Gradient & { readonly read: (sample: Sample) => readonly number[] }> {
  const weights = new Map<Sample, number>();
  for (const microBatch of microBatches) {
    const weightOf = weightIn(microBatch);
    for (const sample of microBatch)
      weights.set(sample, (weights.get(sample) ?? 0) + weightOf(sample) / microBatches.length);
  }
  const rows = [...weights].map(([sample, weight]) => rowOf(sample, weight));
  const found = unscaled(await policy.gradient(scaledRows(rows, lossScale), loss), lossScale);
  const read = new Map([...weights.keys()].map((sample, row) => [sample, found.logProbabilities[row]!]));
  return { ...found, read: (sample) => read.get(sample)! };
}

/** The samples of micro-batches of indexes, each read once. */
export function samplesAt<Sample>(
  microBatches: readonly (readonly number[])[],
  read: (index: number) => Sample,
): readonly (readonly Sample[])[] {
  const known = new Map<number, Sample>();
  const sampleAt = (index: number): Sample => {
    const sample = known.get(index) ?? read(index);
    known.set(index, sample);
    return sample;
  };
  return microBatches.map((microBatch) => microBatch.map(sampleAt));
}
