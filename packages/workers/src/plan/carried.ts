/**
 * What goes from process to process beside the queue: small values within a job, larger ones in the shared folder, where the job
 * has their hash. A folder on a network may show a file later on one machine than on another, so readers are patient.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { EmacError } from '@emac/core';
import type { Json, SharedFolder } from '@emac/queue';

/** bytes of JSON that a job holds itself */
const largestInside = 8_192;
/** milliseconds between one look for a file that is not there yet and the next */
const looks = [50, 200, 750, 2_000];

/** A value as a job holds it. Errors: `internal` for numbers that JSON has no words for; those of the folder. */
export function carry(folder: SharedFolder, value: unknown): Json {
  const text = exactJson(value);
  if (Buffer.byteLength(text) <= largestInside) return { text };
  return { hash: folder.put(Buffer.from(text)) };
}

/** The value that `carry` made this of. Errors: `missing`, `data`. */
export async function carried<T>(folder: SharedFolder, held: Json): Promise<T> {
  const { text, hash } = held as { readonly text?: string; readonly hash?: string };
  return JSON.parse(text ?? (await storedText(folder, hash!))) as T;
}

/** A text of the shared folder. Errors: `missing`, `data`. */
export async function storedText(folder: SharedFolder, hash: string): Promise<string> {
  return Buffer.from(await patiently(() => folder.get(hash))).toString('utf8');
}

/** JSON that keeps every number and the order of names, so that what was made elsewhere is written as what was made here. */
export function exactJson(value: unknown): string {
  return JSON.stringify(value, (name, each: unknown) => {
    if (typeof each !== 'number' || Number.isFinite(each)) return each;
    throw new EmacError('internal', `between processes: ${name} is ${each}, which JSON cannot carry`);
  });
}

/** What `read` gives, once what it reads is there. Errors: `missing` where it does not come; those of `read`. */
export async function patiently<T>(read: () => T): Promise<T> {
  for (const wait of looks)
    try {
      return read();
    } catch (thrown) {
      if (!(thrown instanceof EmacError) || thrown.code !== 'missing') throw thrown;
      await pause(wait);
    }
  return read();
}
