/**
 * What an update is made of: `accumulate` micro-batches drawn from the whole buffer, all rounds, uniformly and with
 * replacement, as the published ring buffer draws them. A transition that is drawn twice is computed once, with the
 * sum of its weights.
 */
import type { Features, Random } from '@emac/core';
import { sampleIndices, type ReplayBuffer, type Transition } from '@emac/buffers';

export interface Draw {
  readonly batchSize: number;
  readonly accumulate: number;
  readonly random: Random;
}

/** Indexes of `accumulate` micro-batches of `batchSize` each, of `length` transitions. */
export function drawMicroBatches(length: number, { batchSize, accumulate, random }: Draw): number[][] {
  return Array.from({ length: accumulate }, () => sampleIndices({ length, count: batchSize }, random));
}

/** Total weight of each index, in the order of their first appearance. */
export function sumWeights(drawn: Iterable<readonly [index: number, weight: number]>): Map<number, number> {
  const weights = new Map<number, number>();
  for (const [index, weight] of drawn) weights.set(index, (weights.get(index) ?? 0) + weight);
  return weights;
}

/** Adds a transition; with `distinct` set, only one whose words and picture the buffer does not hold yet. */
export function appender<T extends Transition>(
  buffer: ReplayBuffer<T>,
  distinct: boolean,
): (transition: T, features: Features) => void {
  let held: Set<string> | undefined;
  return (transition, features) => {
    if (distinct) {
      // read on first use: a buffer may hold the transitions of a run that was interrupted
      held ??= new Set(Array.from({ length: buffer.length }, (_, index) => wordsOf(buffer.at(index))));
      if (held.has(wordsOf(transition))) return;
      held.add(wordsOf(transition));
    }
    buffer.append(transition, features);
  };
}

function wordsOf(transition: Transition): string {
  const answers = 'target' in transition ? [transition.target] : [transition.chosen, transition.rejected];
  return JSON.stringify([transition.featuresKey, transition.text, ...answers]);
}

/** Prompt and picture of the transition at an index. */
export function promptAt<T extends Transition>(buffer: ReplayBuffer<T>, index: number) {
  const { text, featuresKey } = buffer.at(index);
  return { text, features: buffer.features.read(featuresKey) };
}
