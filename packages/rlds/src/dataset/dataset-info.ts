/** `dataset_info.json`: name, version and splits of a dataset, with the number of episodes in each file. */
import { EmacError } from '@emac/core';
import { z } from 'zod';

export interface Split {
  readonly name: string;
  /** episodes in each file */
  readonly shardLengths: readonly number[];
  /** data in all files, without TFRecord's framing; 0 if unknown */
  readonly bytes: number;
  /** template of file names */
  readonly template: string;
}

export interface DatasetInfo {
  readonly name: string;
  readonly version: string;
  readonly splits: readonly Split[];
}

export const usualTemplate = '{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}';

/** protobuf's JSON writes 64-bit numbers as texts. */
const count = z
  .union([z.number(), z.string().regex(/^\d+$/).transform(Number)])
  .pipe(z.number().int().min(0));

const infoSchema = z.object({
  name: z.string().min(1),
  version: z.string().min(1),
  fileFormat: z.literal('tfrecord').default('tfrecord'),
  splits: z
    .array(
      z.object({
        name: z.string().min(1),
        shardLengths: z.array(count).default([]),
        numBytes: count.default(0),
        filepathTemplate: z.string().default(usualTemplate),
      }),
    )
    .default([]),
});

/** Reads `dataset_info.json`. Errors: `data` naming the field; `place` starts the message. */
export function readDatasetInfo(json: unknown, place: string): DatasetInfo {
  const parsed = infoSchema.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new EmacError(
      'data',
      `${place}: ${issue?.path.join('.')}: ${issue?.message}; it must be dataset_info.json of TensorFlow Datasets, with TFRecord files`,
    );
  }
  const { name, version, splits } = parsed.data;
  return {
    name,
    version,
    splits: splits.map(({ name, shardLengths, numBytes, filepathTemplate }) => ({
      name,
      shardLengths,
      bytes: numBytes,
      template: filepathTemplate || usualTemplate,
    })),
  };
}

/** The format read by `readDatasetInfo` and by TensorFlow Datasets. */
export function datasetInfoJson({ name, version, splits }: DatasetInfo): object {
  return {
    name,
    version,
    fileFormat: 'tfrecord',
    splits: splits.map(({ name, shardLengths, bytes, template }) => ({
      name,
      shardLengths: shardLengths.map(String),
      numBytes: String(bytes),
      filepathTemplate: template,
    })),
  };
}

/** The split's file of this number, from 0. Errors: `data` for a template that leads elsewhere. */
export function shardName({ name }: Pick<DatasetInfo, 'name'>, split: Split, shard: number): string {
  const shards = split.shardLengths.length;
  const digits = Math.max(5, String(shards).length);
  const padded = (number: number) => String(number).padStart(digits, '0');
  const values: Readonly<Record<string, string>> = {
    DATASET: name,
    SPLIT: split.name,
    FILEFORMAT: 'tfrecord',
    SHARD_INDEX: padded(shard),
    NUM_SHARDS: padded(shards),
    SHARD_X_OF_Y: `${padded(shard)}-of-${padded(shards)}`,
  };
  const file = split.template.replace(/\{(\w+)\}/g, (whole, key: string) => values[key] ?? whole);
  if (/[/\\{}]/.test(file))
    throw new EmacError(
      'data',
      `${name}: split ${split.name}: files must lie beside dataset_info.json and be named by ${Object.keys(values).join(', ')}, got ${split.template}`,
    );
  return file;
}
