/** Prompts for workers: texts and small arrays in the job; encoded pictures in files, stored once if equal. */
import type { Features, Prompt, PromptPart } from '@emac/core';
import type { SharedFolder } from '@emac/queue';
import { bufferOf, bytesOf, readArray, sendArray, type SentArray } from './sent-array.ts';

export type SentPrompt = readonly SentPart[];

type SentPart =
  | { readonly kind: 'text'; readonly text: string }
  /** `hash` of the encoded picture */
  | { readonly kind: 'image'; readonly key: string; readonly hash: string }
  | { readonly kind: 'array'; readonly name: string; readonly values: SentArray };

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
        return { kind: 'array', name: part.name, values: sendArray(folder, part.values) };
    }
  };
  return (prompt) => prompt.map(sent);
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
    else if (part.kind === 'array') parts.push({ ...part, values: await readArray(folder, part.values) });
    else {
      const { key, hash } = part;
      const features = known.get(key) ?? { key, data: new Float32Array(await bufferOf(folder, hash)) };
      known.set(key, features);
      parts.push({ kind: 'image', features });
    }
  }
  return parts;
}
