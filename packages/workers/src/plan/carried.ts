/**
 * Values that jobs carry: small ones in the job itself, larger ones in the shared folder, with their hash in the job. A
 * network folder may show a file later on one machine than on another, so readers retry.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { EmacError } from '@emac/core';
import type { Json, SharedFolder } from '@emac/queue';

/** largest JSON inside a job, in bytes */
const largestInside = 8_192;
/** milliseconds between checks for a file that does not exist yet */
const looks = [50, 200, 750, 2_000];

/** A value in the form jobs hold. Errors: `internal` for numbers that JSON cannot express; those of the folder. */
export function carry(folder: SharedFolder, value: unknown): Json {
  const text = exactJson(value);
  if (Buffer.byteLength(text) <= largestInside) return { text };
  return { hash: folder.put(Buffer.from(text)) };
}

/** The value passed to `carry`. Errors: `missing`, `data`. */
export async function carried<T>(folder: SharedFolder, held: Json): Promise<T> {
  const { text, hash } = held as { readonly text?: string; readonly hash?: string };
  return JSON.parse(text ?? (await storedText(folder, hash!))) as T;
}

/** A text from the shared folder. Errors: `missing`, `data`. */
export async function storedText(folder: SharedFolder, hash: string): Promise<string> {
  return Buffer.from(await patiently(() => folder.get(hash))).toString('utf8');
}

/** JSON that keeps every number and the order of names, so values from other processes are written like local ones. */
export function exactJson(value: unknown): string {
  return JSON.stringify(value, (name, each: unknown) => {
    if (typeof each !== 'number' || Number.isFinite(each)) return each;
    throw new EmacError('internal', `between processes: ${name} is ${each}, which JSON cannot represent`);
  });
}

/**
 * Calls `read`, and retries while its file is missing. Errors: `missing` if the file does not appear; those of `read`.
 */
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
