/** Rows of similar length in batches of about equal token count. */
import type { Random } from '@emac/core';
import { lesson, type EncodedPlay } from './encoded-play.ts';
import type { Batch } from './language-model.ts';

export interface BatchOptions {
  readonly tokensPerBatch: number;
  readonly padId: number;
  readonly endId: number;
  /** weight of an observation token beside an action token's 1 */
  readonly observationWeight: number;
}

/** All plays once, in batches of rows of similar length, the batches in random order. */
export function batchesOf(plays: readonly EncodedPlay[], options: BatchOptions, random: Random): Batch[] {
  const sorted = random.shuffle(plays).sort((a, b) => a.ids.length - b.ids.length);
  const batches: Batch[] = [];
  for (let start = 0; start < sorted.length;) {
    let end = start + 1;
    while (end < sorted.length && (end + 1 - start) * sorted[end]!.ids.length <= options.tokensPerBatch)
      end++;
    batches.push(batchOf(sorted.slice(start, end), options));
    start = end;
  }
  return random.shuffle(batches);
}

export function batchOf(plays: readonly EncodedPlay[], options: BatchOptions): Batch {
  const length = Math.max(...plays.map((play) => play.ids.length));
  const ids = new BigInt64Array(plays.length * length).fill(BigInt(options.padId));
  const positions: bigint[] = [];
  const labels: bigint[] = [];
  const weights: number[] = [];
  plays.forEach((play, row) => {
    play.ids.forEach((id, column) => {
      const flat = row * length + column;
      ids[flat] = BigInt(id);
      const kind = play.lessons[column]!;
      const next = kind === lesson.end ? options.endId : play.ids[column + 1];
      if (kind === lesson.none || next === undefined) return;
      positions.push(BigInt(flat));
      labels.push(BigInt(next));
      weights.push(kind === lesson.observation ? options.observationWeight : 1);
    });
  });
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return {
    rows: plays.length,
    length,
    ids,
    positions: BigInt64Array.from(positions),
    labels: BigInt64Array.from(labels),
    weights: Float32Array.from(weights, (weight) => weight / total),
  };
}
