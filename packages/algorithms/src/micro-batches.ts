/**
 * What an update is made of: `accumulate` micro-batches drawn from the whole buffer, all rounds, uniformly and, as the
 * published ring buffer draws them, with replacement unless told otherwise. A transition that is drawn twice is computed once, with the
 * sum of its weights.
 */
import type { Random } from '@emac/core';
import { sampleIndices, type ReplayBuffer, type Transition } from '@emac/buffers';

export interface Draw {
  readonly batchSize: number;
  readonly accumulate: number;
  readonly random: Random;
  /** indexes that were drawn elsewhere: none are drawn */
  readonly drawn?: readonly (readonly number[])[];
  /** a transition may come twice in one micro-batch; default true, as published */
  readonly replacement?: boolean;
  /** the gradient is that of the loss times this, divided by it again (`loss-scale.ts`); default 1 */
  readonly lossScale?: number;
}

/** Indexes of `accumulate` micro-batches of `batchSize` each, of `length` transitions. */
export function drawMicroBatches(
  length: number,
  { batchSize, accumulate, random, drawn, replacement = true }: Draw,
): readonly (readonly number[])[] {
  if (drawn) return drawn;
  const count = replacement ? batchSize : Math.min(batchSize, length);
  return Array.from({ length: accumulate }, () => sampleIndices({ length, count }, random, { replacement }));
}

/** Total weight of each index, in the order of their first appearance. */
export function sumWeights(drawn: Iterable<readonly [index: number, weight: number]>): Map<number, number> {
  const weights = new Map<number, number>();
  for (const [index, weight] of drawn) weights.set(index, (weights.get(index) ?? 0) + weight);
  return weights;
}

/** The transitions of some indexes, each read once. */
export function transitionsAt<T extends Transition>(
  buffer: ReplayBuffer<T>,
  indexes: readonly number[],
): ReadonlyMap<number, T> {
  return new Map([...new Set(indexes)].map((index) => [index, buffer.at(index)]));
}
