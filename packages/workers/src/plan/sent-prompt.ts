/** Prompts for workers: texts and small arrays in the job; encoded pictures in files, stored once if equal. */
import { invariant, type Features, type NumberArray, type Prompt, type PromptPart } from '@emac/core';
import type { SharedFolder } from '@emac/queue';
import { patiently } from './carried.ts';

export type SentPrompt = readonly SentPart[];

type SentPart =
  | { readonly kind: 'text'; readonly text: string }
  /** `hash` of the encoded picture */
  | { readonly kind: 'image'; readonly key: string; readonly hash: string }
  | SentArray;

interface SentArray {
  readonly kind: 'array';
  readonly name: string;
  readonly shape: readonly number[];
  readonly type: keyof typeof arrays;
  /** bytes in base64, or the hash of a larger array */
  readonly data: { readonly base64: string } | { readonly hash: string };
}

const arrays = { float32: Float32Array, int32: Int32Array, uint8: Uint8Array };
/** largest array inside a prompt, in bytes */
const largestInside = 1_024;

/** Puts prompts into the shared folder; a picture is hashed once. Errors while sending: those of the folder. */
export function promptSender(folder: SharedFolder): (prompt: Prompt) => SentPrompt {
  const hashes = new WeakMap<Float32Array, string>();
  const hashOf = (data: Float32Array): string => {
    const hash = hashes.get(data) ?? folder.put(bytesOf(data));
    hashes.set(data, hash);
    return hash;
  };
  const sent = (part: PromptPart): SentPart => {
    switch (part.kind) {
      case 'text':
        return part;
      case 'image':
        return { kind: 'image', key: part.features.key, hash: hashOf(part.features.data) };
      case 'array':
        return sentArray(folder, part.name, part.values);
    }
  };
  return (prompt) => prompt.map(sent);
}

function sentArray(folder: SharedFolder, name: string, { shape, data }: NumberArray): SentArray {
  const types = Object.keys(arrays) as (keyof typeof arrays)[];
  const type = types.find((each) => data instanceof arrays[each]);
  invariant(type !== undefined, `sent prompt: ${name} is an array of unknown numbers`);
  const bytes = bytesOf(data);
  const isSmall = bytes.byteLength <= largestInside;
  const held = isSmall ? { base64: Buffer.from(bytes).toString('base64') } : { hash: folder.put(bytes) };
  return { kind: 'array', name, shape, type, data: held };
}

function bytesOf({ buffer, byteOffset, byteLength }: NumberArray['data']): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Reads a sent prompt; `known` caches pictures by key. Errors: `missing`, `data`. */
export async function sentPrompt(
  folder: SharedFolder,
  sent: SentPrompt,
  known = new Map<string, Features>(),
): Promise<Prompt> {
  const parts: PromptPart[] = [];
  for (const part of sent) {
    if (part.kind === 'text') parts.push(part);
    else if (part.kind === 'array') parts.push(await arrayOf(folder, part));
    else {
      const { key, hash } = part;
      const features = known.get(key) ?? { key, data: new Float32Array(await bufferOf(folder, hash)) };
      known.set(key, features);
      parts.push({ kind: 'image', features });
    }
  }
  return parts;
}

async function arrayOf(
  folder: SharedFolder,
  { name, shape, type, data: held }: SentArray,
): Promise<PromptPart> {
  const bytes =
    'base64' in held
      ? Uint8Array.from(Buffer.from(held.base64, 'base64')).buffer
      : await bufferOf(folder, held.hash);
  return { kind: 'array', name, values: { shape, data: new arrays[type](bytes) } };
}

/** A copy, aligned for numbers. */
async function bufferOf(folder: SharedFolder, hash: string): Promise<ArrayBuffer> {
  return Uint8Array.from(await patiently(() => folder.get(hash))).buffer;
}
