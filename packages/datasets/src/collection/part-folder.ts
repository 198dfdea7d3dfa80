/**
 * The folder of a collection until it is whole, with one process in it at a time. Scripted play begins anew after an interruption; what a language
 * model was asked is paid for, so its replies stay, and play with the same settings goes on from them.
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

/** What is collected into a folder. */
export interface Collection {
  /** the folder that will be there */
  readonly out: string;
  /** what the records depend on */
  readonly settings: object;
  /** a language model is asked, whose replies are kept */
  readonly asks: boolean;
  /** it gets `images` */
  readonly hasPictures: boolean;
}

export interface PartFolder {
  readonly path: string;
  /** where the replies of a language model are kept */
  readonly replies: string;
  keepPicture(name: string, picture: Uint8Array): void;
  /** Gives it its name: nothing is missing any more. Errors: `cannot-create` where another process took it over, `io`. */
  whole(): void;
}

/**
 * Makes it or goes on with it, and lets go of it after the work. Errors: `cannot-create` where `out` is there, or naming the process
 * that collects into it; `usage` where replies for other settings lie there; `io`; those of the work.
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
    // who held it before may have given it its name
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
  if (isThere(out))
    throw new EmacError('cannot-create', `--out ${out}: is there already; give another folder`);
}

/** Removes what play makes anew; where the replies are kept. */
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

/** Of a collection that was whole and has not got its name, where only its facts are left. */
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
    `${path}: holds a language model's replies for other settings, from a collection that was stopped; give those, another --out, or remove it`,
  );
}
