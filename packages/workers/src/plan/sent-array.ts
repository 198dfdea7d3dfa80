/** Arrays of numbers between processes: small ones as base64 in their job, larger ones in the shared folder. */
import { invariant, type NumberArray } from '@emac/core';
import type { SharedFolder } from '@emac/queue';
import { patiently } from './carried.ts';

const arrayTypes = { Float32Array, Int32Array, Uint8Array } as const;
/** largest array inside a job, in bytes */
const largestInside = 1_024;

export interface SentArray {
  readonly type: keyof typeof arrayTypes;
  readonly shape: readonly number[];
  readonly data: { readonly base64: string } | { readonly hash: string };
}

/** Errors: those of the folder. */
export function sendArray(folder: SharedFolder, { shape, data }: NumberArray): SentArray {
  const type = data.constructor.name as SentArray['type'];
  invariant(Object.hasOwn(arrayTypes, type), `sent array: is a ${type}`);
  const bytes = bytesOf(data);
  const isSmall = bytes.byteLength <= largestInside;
  const base64 = () => Buffer.from(bytes).toString('base64');
  return { type, shape, data: isSmall ? { base64: base64() } : { hash: folder.put(bytes) } };
}

/** Errors: `missing`, `data`. */
export async function readArray(
  folder: SharedFolder,
  { type, shape, data }: SentArray,
): Promise<NumberArray> {
  const bytes =
    'hash' in data ? await bufferOf(folder, data.hash) : copied(Buffer.from(data.base64, 'base64'));
  return { shape, data: new arrayTypes[type](bytes) };
}

export function bytesOf({ buffer, byteOffset, byteLength }: NumberArray['data']): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** A file's bytes. Errors: `missing`, `data`. */
export async function bufferOf(folder: SharedFolder, hash: string): Promise<ArrayBuffer> {
  return copied(await patiently(() => folder.get(hash)));
}

/** A copy, aligned for every array type. */
function copied(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}
