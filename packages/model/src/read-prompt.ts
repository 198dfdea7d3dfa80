/** Reads a prompt for student models: pictures, then a text. The family decides where the pictures stand among the text's tokens. */
import { needsPicture, shownPicture, type Backbone, type ShownPicture } from '@emac/backbone';
import { EmacError, type Features, type Prompt, type PromptPart, type PromptTokens } from '@emac/core';

export interface ReadPrompt {
  /** in the order of their visual tokens; one or more if the model needs a picture, none if it reads text alone */
  readonly images: readonly Features[];
  /** the same, as prompts describe them */
  readonly pictures: readonly ShownPicture[];
  readonly text: PromptText;
}

/** A prompt's text, or its ids. */
export type PromptText = string | PromptTokens;

/** Errors: `usage` for other parts, or another order. */
export function readPrompt(
  prompt: Prompt,
  { backbone: { connector, files } }: { readonly backbone: Pick<Backbone, 'connector' | 'files'> },
): ReadPrompt {
  const images = prompt.flatMap((part) => (part.kind === 'image' ? [part.features] : []));
  const text = textOf(prompt.at(-1));
  if (!connector && prompt.length === 1 && text !== null) return { images: [], pictures: [], text };
  const least = needsPicture(files.config.llama) ? 1 : 0;
  if (connector && images.length >= least && images.length === prompt.length - 1 && text !== null)
    return {
      images,
      pictures: images.map(({ data }) => shownPicture(connector.sight(data), connector)),
      text,
    };
  const given = prompt.map(({ kind }) => kind).join(', ') || 'nothing';
  throw new EmacError(
    'usage',
    connector
      ? `student: this model reads ${least === 1 ? 'one or more images' : 'images'} and then one text, got ${given}; put images first and join texts`
      : `student: this model reads one text alone, got ${given}; leave images out and join texts`,
  );
}

function textOf(part: PromptPart | undefined): PromptText | null {
  if (part?.kind === 'text') return part.text;
  return part?.kind === 'tokens' ? { tokens: part.tokens, before: part.before } : null;
}
