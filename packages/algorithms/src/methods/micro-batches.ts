/**
 * The samples of an update: `accumulate` micro-batches drawn uniformly from the whole buffer, all rounds, by default
 * with replacement, like the published ring buffer. A sample drawn twice is computed once, with the sum of its weights.
 */
import { sampleIndices } from '@emac/buffers';
import type { Random } from '@emac/core';
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

/** Total weight of each sample, in the order of their first appearance. */
export function sumWeights<Sample>(drawn: Iterable<readonly [Sample, weight: number]>): Map<Sample, number> {
  const weights = new Map<Sample, number>();
  for (const [sample, weight] of drawn) weights.set(sample, (weights.get(sample) ?? 0) + weight);
  return weights;
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
