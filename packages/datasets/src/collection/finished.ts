/** The end of a collection: its datasets, and how they were made. */
import { join } from 'node:path';
import { canonicalJson, writeFileAtomic } from '@emac/files';
import type { Host } from '@emac/opening';
import type { Collection, PartFolder } from './part-folder.ts';
import type { PlayedSteps } from './played-steps.ts';

/** What a collection has become. */
export interface Finished {
  /** paths of the datasets; null where no episode fell to validation */
  readonly dataset: string;
  readonly validation: string | null;
  readonly samples: { readonly training: number; readonly validation: number };
  readonly episodes: number;
}

const names = { training: 'train.json', validation: 'val.json' };

/** Writes the datasets and how they were made, and gives the folder its name. Errors: `cannot-create`, `io`. */
export function finished(
  { out, settings }: Collection,
  part: PartFolder,
  { training, validation, episodes, counts }: PlayedSteps<object>,
): Finished {
  const write = (name: string, text: string) => writeFileAtomic(join(part.path, name), text);
  const samples = { training: training.length, validation: validation.length };
  write(names.training, textOf(training));
  if (validation.length > 0) write(names.validation, textOf(validation));
  writeFacts(part, settings, { ...samples, episodes, ...counts });
  part.whole();
  return {
    dataset: join(out, names.training),
    validation: validation.length > 0 ? join(out, names.validation) : null,
    samples,
    episodes,
  };
}

/** Writes `collection.json`. Errors: `io`. */
export function writeFacts(part: PartFolder, settings: object, made: object): void {
  writeFileAtomic(join(part.path, 'collection.json'), `${canonicalJson({ settings, made }, 2)}\n`);
}

/** Does the work between the beginning and the end of a part that a listener hears of. */
export async function told<T>(
  { listener }: Host,
  [total, noun]: readonly [total: number, noun: string],
  work: () => Promise<T>,
): Promise<T> {
  listener?.begin?.('collecting', total, { noun });
  try {
    return await work();
  } finally {
    listener?.end?.();
  }
}

/** A list with a line for each record. */
function textOf(records: readonly object[]): string {
  return `[\n${records.map((record) => JSON.stringify(record)).join(',\n')}\n]\n`;
}
