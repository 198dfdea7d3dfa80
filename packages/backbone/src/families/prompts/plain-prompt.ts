/** The prompt of a base model: the text as it is, tokenized as the folder's tokenizer does by default. */
import { EmacError } from '@emac/core';

import type { TextTokenizer } from '../../files/tokenizer.ts';
import { continuation, layoutWithin, type PromptForm } from './prompt-form.ts';

/** Errors: `data` if the tokenizer has no end token. */
export function plainForm(tokenizer: TextTokenizer, place: string): PromptForm {
  const { endToken } = tokenizer;
  if (endToken === null)
    throw new EmacError(
      'data',
      `${place}: tokenizer must name an end token; name it in tokenizer_config.json (eos_token)`,
    );
  const encode = (text: string) => tokenizer.encode(text, { special: true });
  return {
    kind: 'plain',
    endToken,
    turn: (text) => ({ tokens: encode(text), before: [] }),
    answer: (text, answer) => continuation(encode(text), encode(text + answer)),
    conversation: null,
    layout: layoutWithin(1),
  };
}
