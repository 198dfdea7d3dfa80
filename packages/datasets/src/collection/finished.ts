/** The end of a collection: its datasets and its facts. */
import { join } from 'node:path';
import { canonicalJson, writeFileAtomic } from '@emac/files';
import type { Host } from '@emac/opening';
import type { Collection, PartFolder } from './part-folder.ts';
import type { PlayedSteps } from './played-steps.ts';

/** The result of a collection. */
export interface Finished {
  /** paths of the datasets; null if no episode is in validation */
  readonly dataset: string;
  readonly validation: string | null;
  readonly samples: { readonly training: number; readonly validation: number };
  readonly episodes: number;
}

const names = { training: 'train.json', validation: 'val.json' };

/** Writes datasets and facts, and gives the folder its name. Errors: `cannot-create`, `io`. */
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

/** Reports the beginning and the end of a stage to the listener. */
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

/** A JSON list with one record per line. */
function textOf(records: readonly object[]): string {
  return `[\n${records.map((record) => JSON.stringify(record)).join(',\n')}\n]\n`;
}
