/**
 * Writes a dataset's folder like TensorFlow Datasets, for its `builder_from_directory` and for `openDataset`. The folder appears when
 * complete; until then it has a temporary name.
 */
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { whileWriting, writeFileAtomic } from '@emac/files';
import { encodeFeatures } from '../features/encode.ts';
import type { Feature, Value } from '../features/feature.ts';
import { featuresJson } from '../features/features-json.ts';
import { encodeExample } from '../records/example.ts';
import { createTfRecords } from '../records/tfrecord-write.ts';
import { datasetInfoJson, shardName, usualTemplate, type DatasetInfo, type Split } from './dataset-info.ts';
import { wholeFolder } from './whole-folder.ts';

export interface WriteOptions {
  /** letters, digits and `_`; part of file names */
  readonly name: string;
  /** three numbers; default 1.0.0 */
  readonly version?: string;
  readonly features: Feature;
  /** the examples of every split, in order; read one at a time */
  readonly splits: Readonly<Record<string, Iterable<Value> | AsyncIterable<Value>>>;
  /** examples per file, default 256; the last file of a split may have fewer */
  readonly perFile?: number;
}

/**
 * Writes `folder`, by custom `NAME/VERSION`, and returns the content of its `dataset_info.json`. Errors: `usage` for names; `cannot-create`
 * if something exists there; `io` (disk full …); `data` naming split, example and feature if a value does not match `features`.
 */
export async function writeDataset(folder: string, options: WriteOptions): Promise<DatasetInfo> {
  const { name, version = '1.0.0', features, splits, perFile = 256 } = options;
  requireForm(/^[A-Za-z_]\w*$/, { what: 'name', value: name, rule: 'letters, digits and _' });
  requireForm(/^\d+\.\d+\.\d+$/, { what: 'version', value: version, rule: 'three numbers such as 1.0.0' });
  requireForm(/^[1-9]\d*$/, { what: 'perFile', value: String(perFile), rule: 'a whole number from 1' });
  return wholeFolder(folder, async (temporary) => {
    const written: Split[] = [];
    for (const [split, examples] of Object.entries(splits)) {
      requireForm(/^[A-Za-z_]\w*$/, { what: 'split', value: split, rule: 'letters, digits and _' });
      written.push(await writeSplit({ folder: temporary, name, features, perFile }, split, examples));
    }
    const info: DatasetInfo = { name, version, splits: written };
    const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;
    writeFileAtomic(join(temporary, 'features.json'), json(featuresJson(features)));
    writeFileAtomic(join(temporary, 'dataset_info.json'), json(datasetInfoJson(info)));
    return info;
  });
}

function requireForm(
  form: RegExp,
  { what, value, rule }: { readonly what: string; readonly value: string; readonly rule: string },
): void {
  if (!form.test(value)) throw new EmacError('usage', `writeDataset: ${what}: must be ${rule}, got ${value}`);
}

interface SplitTarget {
  readonly folder: string;
  readonly name: string;
  readonly features: Feature;
  readonly perFile: number;
}

/** Files are named once their number is known. */
async function writeSplit(
  target: SplitTarget,
  name: string,
  examples: Iterable<Value> | AsyncIterable<Value>,
): Promise<Split> {
  const { folder, features, perFile } = target;
  const shardLengths: number[] = [];
  const pathOf = (shard: number) => join(folder, `.${name}-${shard}`);
  let bytes = 0;
  let file: ReturnType<typeof createTfRecords> | null = null;
  const finish = () => {
    bytes += file?.dataBytes ?? 0;
    file?.close();
    file = null;
  };
  try {
    let number = 0;
    for await (const value of examples) {
      if (file === null) {
        file = createTfRecords(pathOf(shardLengths.length));
        shardLengths.push(0);
      }
      file.write(encodeExample(encodeFeatures(features, value, `split ${name}, example ${number++}`)));
      if (++shardLengths[shardLengths.length - 1]! === perFile) finish();
    }
  } finally {
    finish();
  }
  const split: Split = { name, shardLengths, bytes, template: usualTemplate };
  for (const shard of shardLengths.keys())
    whileWriting(folder, () => renameSync(pathOf(shard), join(folder, shardName(target, split, shard))));
  return split;
}
