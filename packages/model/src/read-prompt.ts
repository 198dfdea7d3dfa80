/** What this family of models (InstructBLIP) reads: its language model sees pictures first, then a text. */
import { EmacError, type Features, type Prompt } from '@emac/core';

export interface ReadPrompt {
  /** one or more, in the order of their visual tokens */
  readonly images: readonly Features[];
  readonly text: string;
}

/** Errors: `usage` for other parts, or another order. */
export function readPrompt(prompt: Prompt): ReadPrompt {
  const images = prompt.flatMap((part) => (part.kind === 'image' ? [part.features] : []));
  const last = prompt.at(-1);
  if (images.length > 0 && images.length === prompt.length - 1 && last?.kind === 'text')
    return { images, text: last.text };
  const given = prompt.map(({ kind }) => kind).join(', ') || 'nothing';
  throw new EmacError(
    'usage',
    `student: this model reads one or more images and then one text, got ${given}; put images first and join texts`,
  );
}
