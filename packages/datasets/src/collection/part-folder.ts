/**
 * A collection's folder before it is complete, used by one process at a time, and what it holds at the end: datasets and facts. Scripted play restarts
 * after an interruption. A language model's replies are paid for, so they stay, and play with the same settings resumes from them.
 */
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EmacError } from '@emac/core';
import {
  canonicalJson,
  createFolder,
  discard,
  isThere,
  syncFolder,
  syncTree,
  whileReading,
  whileWriting,
  writeFileAtomic,
} from '@emac/files';
import { claimPrefix, lockRun } from '@emac/runs';
import type { PlayedSteps } from './collected-steps.ts';

/** A collection and its folder. */
export interface Collection {
  /** the final folder */
  readonly out: string;
  /** settings that affect the records */
  readonly settings: object;
  /** whether a language model is used; then its replies are kept */
  readonly asks: boolean;
  /** whether it gets `images` */
  readonly hasPictures: boolean;
}

export interface PartFolder {
  readonly path: string;
  /** file of a language model's replies */
  readonly replies: string;
  keepPicture(name: string, picture: Uint8Array): void;
  /** Gives the complete folder its name. Errors: `cannot-create` if another process took it over, `io`. */
  whole(): void;
}

/**
 * Creates or resumes it, and releases it after the work. Errors: `cannot-create` if `out` exists, or naming the process that
 * collects into it; `usage` if it has replies for other settings; `io`; those of the work.
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
    const replies = begun(collection, path);
    return await work({
      path,
      replies,
      keepPicture: (name, picture) => whileWriting(name, () => writeFileSync(join(path, name), picture)),
      whole() {
        discard(join(path, names.state));
        lock.check();
        renamed(path, out);
        lock.release(out);
      },
    });
  } finally {
    lock.release();
  }
}

const names = { replies: 'llm.jsonl', state: 'collect.json', images: 'images', facts: 'collection.json' };

/** Errors: `cannot-create`. */
export function requireFree(out: string): void {
  if (isThere(out)) throw new EmacError('cannot-create', `--out ${out}: already exists; give another folder`);
}

/** Deletes files that play will make again; returns the path of the replies. */
function begun({ settings: given, asks, hasPictures }: Collection, path: string): string {
  const [replies, state] = [join(path, names.replies), join(path, names.state)];
  const settings = `${canonicalJson(given)}\n`;
  const holdsReplies = isThere(replies) && whileReading(replies, () => statSync(replies).size > 0);
  if (holdsReplies)
    requireSame(path, { before: settingsIn(state) ?? settingsOf(join(path, names.facts)), settings });
  const made = holdsReplies ? [names.images] : whileReading(path, () => readdirSync(path));
  for (const name of made.filter((each) => !each.startsWith(claimPrefix))) discard(join(path, name));
  if (hasPictures) createFolder(join(path, names.images));
  if (asks) writeFileAtomic(state, settings);
  return replies;
}

function renamed(path: string, out: string): void {
  whileWriting(out, () => {
    syncTree(path);
    renameSync(path, out);
    syncFolder(dirname(path));
  });
}

function settingsIn(state: string): string | null {
  return isThere(state) ? whileReading(state, () => readFileSync(state, 'utf8')) : null;
}

/** Settings of a complete but not yet renamed collection, from its facts. */
function settingsOf(facts: string): string | null {
  if (!isThere(facts)) return null;
  const { settings } = JSON.parse(whileReading(facts, () => readFileSync(facts, 'utf8'))) as {
    readonly settings: object;
  };
  return `${canonicalJson(settings)}\n`;
}

interface Settings {
  readonly before: string | null;
  readonly settings: string;
}

function requireSame(path: string, { before, settings }: Settings): void {
  if (before === settings) return;
  throw new EmacError(
    'usage',
    `${path}: holds a language model's replies of a stopped collection with other settings; give those settings, another --out, or remove it`,
  );
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
  }: Pick<PlayedSteps, 'training' | 'validation' | 'episodes'> & {
    /** further counts to report */
    readonly counts: object;
  },
): Finished {
  const write = (name: string, text: string) => writeFileAtomic(join(part.path, name), text);
  const samples = { training: training.length, validation: validation.length };
  write('train.json', textOf(training));
  if (validation.length > 0) write('val.json', textOf(validation));
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
