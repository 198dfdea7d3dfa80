/** A dataset's folder as TensorFlow Datasets lays it out: `features.json`, `dataset_info.json` and the files of every split. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError, messageOf } from '@emac/core';
import { isThere, readText, whileReading } from '@emac/files';
import { decodeFeatures } from '../features/decode.ts';
import type { Feature, Value } from '../features/feature.ts';
import { readFeatures } from '../features/features-json.ts';
import { decodeExample } from '../records/example.ts';
import { readTfRecords } from '../records/tfrecord-read.ts';
import { readDatasetInfo, shardName, type DatasetInfo, type Split } from './dataset-info.ts';

export interface Dataset extends DatasetInfo {
  /** folder of `dataset_info.json` */
  readonly folder: string;
  readonly features: Feature;
  /**
   * The examples of a split in file order, one record in memory at a time. Errors: `usage` for an unknown split; `missing`, `io`;
   * `data` naming file, record and feature.
   */
  examples(split: string): AsyncGenerator<PlacedExample, void, undefined>;
}

export interface PlacedExample {
  readonly value: Value;
  /** its file and record, for messages */
  readonly place: string;
}

/**
 * Opens `folder`, which contains `dataset_info.json`, or one subfolder (a version) that does. Errors: `missing`, `io`, and `data` naming
 * the file and the rule.
 */
export function openDataset(folder: string): Dataset {
  const home = homeOf(folder);
  const infoPath = join(home, infoFile);
  const featuresPath = join(home, 'features.json');
  const info = readDatasetInfo(readJson(infoPath), infoPath);
  const features = readFeatures(readJson(featuresPath), featuresPath);
  return {
    ...info,
    folder: home,
    features,
    examples: (name) => examplesOf({ info, home, features }, splitOf(info, name, infoPath)),
  };
}

const infoFile = 'dataset_info.json';

function homeOf(folder: string): string {
  if (!isThere(folder))
    throw new EmacError('missing', `${folder}: does not exist; give the folder of a dataset`);
  if (isThere(join(folder, infoFile))) return folder;
  const versions = whileReading(folder, () => readdirSync(folder)).filter((name) =>
    isThere(join(folder, name, infoFile)),
  );
  if (versions.length === 1) return join(folder, versions[0]!);
  const rule =
    versions.length === 0
      ? 'but it is neither here nor in a folder below'
      : `but it is in ${versions.sort().join(', ')}; give one of these`;
  throw new EmacError('missing', `${folder}: must hold ${infoFile}, ${rule}`);
}

function readJson(path: string): unknown {
  const text = readText(path);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new EmacError('data', `${path}: must be JSON: ${messageOf(cause)}`, { cause });
  }
}

function splitOf({ splits }: DatasetInfo, name: string, place: string): Split {
  const split = splits.find((each) => each.name === name);
  if (split) return split;
  throw new EmacError(
    'usage',
    `${place}: the split must be one of ${splits.map((each) => each.name).join(', ')}, got ${name}`,
  );
}

interface Opened {
  readonly info: DatasetInfo;
  readonly home: string;
  readonly features: Feature;
}

async function* examplesOf(
  { info, home, features }: Opened,
  split: Split,
): AsyncGenerator<PlacedExample, void, undefined> {
  for (const [shard, length] of split.shardLengths.entries()) {
    const path = join(home, shardName(info, split, shard));
    let count = 0;
    for await (const { data } of readTfRecords(path)) {
      const place = `${path}: record ${count++}`;
      yield { value: decodeFeatures(features, decodeExample(data, place), place), place };
    }
    if (count !== length)
      throw new EmacError(
        'data',
        `${path}: must hold ${length} records, as ${infoFile} says, holds ${count}; download the file again`,
      );
  }
}
