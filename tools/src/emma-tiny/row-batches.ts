/** Rows of similar length in batches of about equal token count. */
import type { Random } from '@emac/core';
import { lesson, type EncodedRow } from './encoded-row.ts';
import type { Batch, BatchPart } from './slot-model.ts';

export interface BatchOptions {
  readonly tokensPerBatch: number;
  /** number of parts a batch is computed in, which affects the result */
  readonly parts: number;
  readonly padId: number;
  readonly endId: number;
  /** weight of an observation token, with 1 for an action token */
  readonly observationWeight: number;
  /** of the visual vectors */
  readonly width: number;
  /** the most of another row's word that a slot holds, 0 to 1 */
  readonly blur: number;
}

/**
 * Noise on the visual vectors, so that side effects of a trained projection do not blind the model. Half of the rows
 * get one vector for all slots, with deviation from `least` to `most`, log-uniform. Every slot also gets its own noise,
 * like errors of a vision encoder.
 */
const noise = { share: 0.5, least: 0.02, most: 0.3, perSlot: 0.06 } as const;

/**
 * A share of the rows is seen with doubt: a slot holds some of the first word of a slot of another row, and less of its
 * own words. A projection in training mixes words like this.
 */
const doubtful = { share: 0.5, lost: 0.5 } as const;

/** All rows once, in batches of rows of similar length, the batches in random order, each made when it is called for. */
export function batchesOf(
  rows: readonly EncodedRow[],
  options: BatchOptions,
  random: Random,
): (() => Batch)[] {
  const size = ({ ids, slots }: EncodedRow) => ids.length + slots.length / 3;
  const sorted = random.shuffle(rows).sort((a, b) => size(a) - size(b));
  const batches: (() => Batch)[] = [];
  for (let start = 0; start < sorted.length;) {
    const first = start;
    let end = start + 1;
    while (end < sorted.length && (end + 1 - start) * size(sorted[end]!) <= options.tokensPerBatch) end++;
    const chosen = sorted.slice(start, end);
    batches.push(() => batchOf(chosen, options, random.stream(first)));
    start = end;
  }
  return random.shuffle(batches);
}

/** One batch; its loss is the weighted mean over all its lessons. */
function batchOf(rows: readonly EncodedRow[], options: BatchOptions, random: Random): Batch {
  const perPart = Math.ceil(rows.length / options.parts);
  const parts: BatchPart[] = [];
  for (let start = 0; start < rows.length; start += perPart)
    parts.push(partOf(rows.slice(start, start + perPart), options, random));
  const total = parts.reduce((sum, { weights }) => sum + weights.reduce((a, b) => a + b, 0), 0);
  for (const { weights } of parts) for (let i = 0; i < weights.length; i++) weights[i]! /= total;
  return { parts, tokens: parts.reduce((sum, part) => sum + part.rows * (part.places + part.length), 0) };
}

function partOf(
  rows: readonly EncodedRow[],
  { padId, endId, observationWeight, width, blur }: BatchOptions,
  random: Random,
): BatchPart {
  const length = Math.max(...rows.map(({ ids }) => ids.length));
  const places = rows[0]!.slots.length / 3;
  const ids = new BigInt64Array(rows.length * length).fill(BigInt(padId));
  const slots = new BigInt64Array(rows.length * places * 4);
  const strengths = new Float32Array(slots.length);
  const positions: bigint[] = [];
  const labels: bigint[] = [];
  const weights: number[] = [];
  rows.forEach((row, index) => {
    blurred(row, { rows, blur }, random).forEach(([id, strength], at) => {
      slots[index * places * 4 + at] = BigInt(Math.max(0, id));
      strengths[index * places * 4 + at] = id < 0 ? 0 : strength;
    });
    row.ids.forEach((id, column) => {
      ids[index * length + column] = BigInt(id);
      const kind = row.lessons[column]!;
      const next = kind === lesson.end ? endId : row.ids[column + 1];
      if (kind === lesson.none || next === undefined) return;
      positions.push(BigInt(index * (places + length) + places + column));
      labels.push(BigInt(next));
      weights.push(kind === lesson.observation ? observationWeight : 1);
    });
  });
  return {
    rows: rows.length,
    places,
    length,
    slots,
    strengths,
    offsets: Float32Array.from(rows.flatMap(() => offsetsOf(places, width, random))),
    ids,
    positions: BigInt64Array.from(positions),
    labels: BigInt64Array.from(labels),
    weights: Float32Array.from(weights),
  };
}

/** Four words of each slot with their strengths: its own three, and one of another row. */
function blurred(
  row: EncodedRow,
  { rows, blur }: { readonly rows: readonly EncodedRow[]; readonly blur: number },
  random: Random,
): [number, number][] {
  const most = random.uniform() < doubtful.share ? blur * random.uniform() : 0;
  const places = row.slots.length / 3;
  return Array.from({ length: places }, (_, place): [number, number][] => {
    const doubt = most * random.uniform();
    const other = random.pick(rows).slots[3 * random.integer(places)]!;
    const own = row.slots.subarray(3 * place, 3 * place + 3);
    return [...Array.from(own, (id): [number, number] => [id, 1 - doubtful.lost * doubt]), [other, doubt]];
  }).flat();
}

/** [places · width] */
function offsetsOf(places: number, width: number, random: Random): number[] {
  const common = random.uniform() < noise.share;
  const deviation = noise.least * (noise.most / noise.least) ** random.uniform();
  const shared = Array.from({ length: width }, () => (common ? deviation * random.normal() : 0));
  const own = noise.perSlot * random.uniform();
  return Array.from({ length: places }, () => shared.map((value) => value + own * random.normal())).flat();
}
