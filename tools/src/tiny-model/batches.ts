/** Encoded samples in parts of similar length, and the parts in batches at random. */
import type { ImageProcessor, InstructBlipConfig } from '@emac/backbone';
import type { Random } from '@emac/core';
import type { EncodedSample } from './encode.ts';
import type { BatchPart } from './model.ts';

export interface BatchForm {
  readonly rowsPerPart: number;
  readonly partsPerBatch: number;
  readonly pad: number;
  readonly config: InstructBlipConfig;
  readonly processor: ImageProcessor;
}

export interface Batch {
  readonly parts: readonly BatchPart[];
  readonly rows: readonly (readonly EncodedSample[])[];
}

/** All samples once; each batch is made when it is called for. */
export function batchesOf(
  samples: readonly EncodedSample[],
  form: BatchForm,
  random: Random,
): (() => Batch)[] {
  const sorted = random.shuffle(samples).sort((one, other) => one.ids.length - other.ids.length);
  const groups = random.shuffle(chunks(sorted, form.rowsPerPart));
  return chunks(groups, form.partsPerBatch).map((rows) => () => batchOf(rows, form));
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, place) =>
    items.slice(place * size, (place + 1) * size),
  );
}

/** The loss of a batch: the mean over all answer tokens, plus that of the visual tokens' targets. */
function batchOf(rows: readonly (readonly EncodedSample[])[], form: BatchForm): Batch {
  const all = rows.flat();
  const sizes = { samples: all.length, lessons: all.reduce((sum, { lessons }) => sum + lessons.length, 0) };
  return { parts: rows.map((each) => partOf(each, sizes, form)), rows };
}

/** of a batch */
interface Sizes {
  readonly samples: number;
  readonly lessons: number;
}

function partOf(
  rows: readonly EncodedSample[],
  { samples, lessons: count }: Sizes,
  form: BatchForm,
): BatchPart {
  const { config, pad, processor } = form;
  const length = Math.max(...rows.map(({ ids }) => ids.length)) - 1;
  const values = 3 * config.vision.imageSize ** 2;
  const pixels = new Float32Array(rows.length * values);
  const ids = new BigInt64Array(rows.length * length).fill(BigInt(pad));
  rows.forEach((row, place) => {
    pixels.set(processor.process(row.frame), place * values);
    row.ids.slice(0, -1).forEach((id, at) => (ids[place * length + at] = BigInt(id)));
  });
  const lessons = rows.flatMap((row, place) => {
    const start = place * (config.queryTokens + length) + config.queryTokens;
    return row.lessons.map(({ after, label, weight }) => ({ position: start + after, label, weight }));
  });
  return {
    pixels,
    rows: rows.length,
    ids,
    positions: BigInt64Array.from(lessons, ({ position }) => BigInt(position)),
    labels: BigInt64Array.from(lessons, ({ label }) => BigInt(label)),
    facts: BigInt64Array.from(rows.flatMap(({ facts }) => facts).map(BigInt)),
    factWeights: factWeightsOf(rows, { samples, pad }),
    weights: Float32Array.from(lessons, (each) => each.weight / count),
  };
}

/** Weights of the visual tokens' targets; "nothing" weighs little. */
function factWeightsOf(
  rows: readonly EncodedSample[],
  { samples, pad }: { readonly samples: number; readonly pad: number },
): Float32Array {
  return Float32Array.from(
    rows.flatMap(({ facts }) => facts.map((fact) => (fact === pad ? 0.1 : 1) / (6 * samples))),
  );
}
