/**
 * A collection's folder before it is complete, used by one process at a time, and what it holds at the end: datasets and facts. `collect.json` has the
 * settings and the progress. Games resume after the last complete one. Other scripted play restarts. A language model's replies cost money and a
 * person's labels time, so they stay, and play reads them again.
 */
import { readdirSync, readFileSync, renameSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EmacError } from '@emac/core';
import {
  canonicalJson,
  createFolder,
  discard,
  isFolder,
  isThere,
  syncFolder,
  syncTree,
  whileReading,
  whileWriting,
  writeFileAtomic,
} from '@emac/files';
import { claimPrefix, layout, lockRun } from '@emac/runs';
import type { PlayedSteps } from './collected-steps.ts';
import { inForm, type RecordForm } from './record-form.ts';

/** A collection and its folder. */
export interface Collection {
  /** the final folder */
  readonly out: string;
  /** settings that affect the records */
  readonly settings: object;
  /** whether the next call resumes this one: from its progress, or the replies of a language model or a person */
  readonly resumes: boolean;
  /** whether it gets `images` */
  readonly hasPictures: boolean;
}

export interface PartFolder {
  readonly path: string;
  /** file of a language model's replies */
  readonly replies: string;
  /** as the stopped call kept it; null if this one begins */
  readonly progress: unknown;
  keepPicture(name: string, picture: Uint8Array): void;
  keepProgress(progress: object): void;
  /** Gives the complete folder its name. Errors: `cannot-create` if another process took it over, `io`. */
  whole(): void;
}

/**
 * Creates or resumes it, and releases it after the work. Errors: `cannot-create` if `out` exists, or naming the process that
 * collects into it; `usage` if a stopped collection has other settings; `io`, `data`; those of the work.
 */
export async function inPartFolder<T>(
  collection: Collection,
  work: (part: PartFolder) => Promise<T>,
): Promise<T> {
  const { out } = collection;
  const path = `${out.replace(/[/\\]+$/, '')}.part`;
  createFolder(path);
  const lock = lockRun(path, 'collection');
  try {
    // the previous owner may have completed it
    requireFree(out);
    const [replies, state] = [join(path, names.replies), join(path, names.state)];
    const keep = (progress: object | null) =>
      writeFileAtomic(state, `${canonicalJson({ settings: collection.settings, progress })}\n`);
    const progress = begun(collection, path);
    if (collection.resumes && progress === null) keep(null);
    return await work({
      path,
      replies,
      progress,
      keepPicture: (name, picture) => whileWriting(name, () => writeFileSync(join(path, name), picture)),
      keepProgress: keep,
      whole() {
        lock.check();
        renamed(path, out);
        discard(join(out, names.state));
        lock.release(out);
      },
    });
  } finally {
    lock.release();
  }
}

const names = { replies: 'llm.jsonl', state: 'collect.json', images: 'images', facts: 'collection.json' };

/** Errors: `cannot-create` unless the folder is new or empty. */
export function requireFree(out: string): void {
  if (isThere(out) && !(isFolder(out) && whileReading(out, () => readdirSync(out)).length === 0))
    throw new EmacError('cannot-create', `--out ${out}: already exists; give another folder`);
}

/** Deletes files that play will make again; returns the progress. */
function begun({ settings, hasPictures }: Collection, path: string): unknown {
  const replies = join(path, names.replies);
  const { progress, ...before } = stateIn(join(path, names.state));
  const isPaid = [replies, join(path, layout.labels)].some(
    (each) => isThere(each) && whileReading(each, () => statSync(each).size > 0),
  );
  const isKept = isPaid || progress !== null;
  if (isKept && canonicalJson(before.settings) !== canonicalJson(settings))
    throw new EmacError(
      'usage',
      `${path}: holds a stopped collection with other settings; give those settings, another --out, or remove it`,
    );
  const again = isKept ? [names.images] : whileReading(path, () => readdirSync(path));
  for (const name of progress === null ? again : [])
    if (!name.startsWith(claimPrefix)) discard(join(path, name));
  if (hasPictures) createFolder(join(path, names.images));
  return progress;
}

/** Errors: `data`. */
function stateIn(path: string): { readonly settings: unknown; readonly progress: unknown } {
  if (!isThere(path)) return { settings: null, progress: null };
  const text = whileReading(path, () => readFileSync(path, 'utf8'));
  try {
    const state = JSON.parse(text) as Record<string, unknown>;
    // earlier versions wrote the settings alone
    return { settings: state['settings'] ?? state, progress: state['progress'] ?? null };
  } catch (cause) {
    throw new EmacError('data', `${path}: is damaged; remove its folder and collect again`, { cause });
  }
}

function renamed(path: string, out: string): void {
  whileWriting(out, () => {
    syncTree(path);
    if (isThere(out)) rmdirSync(out);
    renameSync(path, out);
    syncFolder(dirname(path));
  });
}

/** The result of a collection. */
export interface Finished {
  /** paths of the datasets; null if no episode is in validation */
  readonly dataset: string;
  readonly validation: string | null;
  readonly samples: { readonly training: number; readonly validation: number };
  readonly episodes: number;
}

/** Writes datasets and facts, and gives the folder its name. Errors: `cannot-create`, `io`. */
export function finished(
  { out, settings }: Collection,
  part: PartFolder,
  {
    training,
    validation,
    episodes,
    counts,
    form = 'published',
  }: Pick<PlayedSteps, 'training' | 'validation' | 'episodes'> & {
    /** further counts to report */
    readonly counts: object;
    /** of the records; default `published` */
    readonly form?: RecordForm;
  },
): Finished {
  const write = (name: string, text: string) => writeFileAtomic(join(part.path, name), text);
  const samples = { training: training.length, validation: validation.length };
  write('train.json', textOf(training.map((record) => inForm(record, form))));
  if (validation.length > 0) write('val.json', textOf(validation.map((record) => inForm(record, form))));
  writeFacts(part, settings, { ...samples, episodes, ...counts });
  part.whole();
  return {
    dataset: join(out, 'train.json'),
    validation: validation.length > 0 ? join(out, 'val.json') : null,
    samples,
    episodes,
  };
}

/** Writes `collection.json`. Errors: `io`. */
export function writeFacts(part: PartFolder, settings: object, made: object): void {
  writeFileAtomic(join(part.path, names.facts), `${canonicalJson({ settings, made }, 2)}\n`);
}

/** A JSON list with one record per line. */
function textOf(records: readonly object[]): string {
  return `[\n${records.map((record) => JSON.stringify(record)).join(',\n')}\n]\n`;
}
