/**
 * A collection's folder before it is complete, used by one process at a time. Scripted play restarts after an interruption. A language model's
 * replies are paid for, so they stay, and play with the same settings resumes from them.
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
