/** Keeps what a person gives on disk, as two datasets with the same pictures: `labels.json` and `pairs.json`. */
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import type { PublishedRecord } from '@emac/datasets';
import { createFolder, isThere, readText, writeFileAtomic } from '@emac/files';
import type { GivenRecords } from './given-records.ts';

/** Of the folder; what is there already stays. Errors: `cannot-create`, `io`; `data` for other files of these names. */
export function keptRecords(folder: string): (records: GivenRecords) => void {
  const before = { labels: earlier(folder, 'labels'), pairs: earlier(folder, 'pairs') };
  return ({ labels, pairs, picture }) => {
    createFolder(join(folder, 'images'));
    for (const record of [...labels, ...pairs]) {
      const png = picture(record);
      if (png && !isThere(join(folder, record.image!))) writeFileAtomic(join(folder, record.image!), png);
    }
    const all = { labels: [...before.labels, ...labels], pairs: [...before.pairs, ...pairs] };
    for (const [name, records] of Object.entries(all))
      if (records.length > 0)
        writeFileAtomic(
          fileOf(folder, name),
          `[\n${records.map((each) => JSON.stringify(each)).join(',\n')}\n]\n`,
        );
  };
}

function fileOf(folder: string, name: string): string {
  return join(folder, `${name}.json`);
}

function earlier(folder: string, name: string): PublishedRecord[] {
  const path = fileOf(folder, name);
  if (!isThere(path)) return [];
  const found: unknown = JSON.parse(readText(path));
  if (Array.isArray(found)) return found as PublishedRecord[];
  throw new EmacError('data', `${path}: must be a list of records; give another folder`);
}
