/** Prompts beside the queue: texts as they are, what a policy saw in a picture as a file, once for equal ones. */
import { EmacError, type Prompt, type PromptPart } from '@emac/core';
import type { SharedFolder } from '@emac/queue';
import { patiently } from './carried.ts';

export type SentPrompt = readonly SentPart[];

type SentPart =
  | { readonly kind: 'text'; readonly text: string }
  /** `hash` of its numbers */
  | { readonly kind: 'image'; readonly key: string; readonly hash: string };

/** Puts a prompt where workers find it. Errors: `internal` for one of arrays; those of the folder. */
export function sendPrompt(folder: SharedFolder, prompt: Prompt): SentPrompt {
  return prompt.map((part): SentPart => {
    if (part.kind === 'text') return part;
    if (part.kind === 'array')
      throw new EmacError('internal', `sent prompt: must be of texts and pictures, has ${part.name}`);
    const { key, data } = part.features;
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    return { kind: 'image', key, hash: folder.put(bytes) };
  });
}

/** The prompt that was sent. Errors: `missing`, `data`. */
export async function sentPrompt(folder: SharedFolder, sent: SentPrompt): Promise<Prompt> {
  const parts: PromptPart[] = [];
  for (const part of sent) {
    if (part.kind === 'text') parts.push(part);
    else {
      const { key, hash } = part;
      // a copy, which begins where floats may begin
      const { buffer } = Uint8Array.from(await patiently(() => folder.get(hash)));
      parts.push({ kind: 'image', features: { key, data: new Float32Array(buffer) } });
    }
  }
  return parts;
}
