/**
 * OpenVLA's prompt (arXiv 2406.09246, and its published `predict_action`): an instruction in a sentence, the patches after the
 * begin token, and a final blank token, 29871 in LLaMA's vocabulary. In training that blank stood before the actions.
 */
import { EmacError } from '@emac/core';

import type { TextTokenizer } from '../../files/tokenizer.ts';
import { continuation, layoutWithin, type PromptForm } from './prompt-form.ts';

/** the blank in SentencePiece's vocabularies */
const blank = '▁';

/** A text as the model reads it: an instruction is lower-cased and put into its sentence; a whole prompt (`In: …\nOut:`) stays as it is. */
function sentence(text: string): string {
  const whole = text.trimEnd();
  if (/^In: [^]*\nOut:$/.test(whole)) return whole;
  return `In: What action should the robot take to ${text.toLowerCase()}?\nOut:`;
}

/** Errors: `data` if the tokenizer has no end token or no blank token. */
export function robotForm(tokenizer: TextTokenizer, place: string): PromptForm {
  const { endToken } = tokenizer;
  const blankToken = tokenizer.tokenId(blank);
  if (endToken === null || blankToken === null)
    throw new EmacError(
      'data',
      `${place}: tokenizer must have an end token and a token ${blank}, got ${endToken} and ${blankToken}; copy LLaMA's from the published model`,
    );
  const encode = (text: string) => tokenizer.encode(text, { special: true });
  const asked = (text: string): number[] => {
    const ids = encode(sentence(text));
    return ids.at(-1) === blankToken ? ids : [...ids, blankToken];
  };
  return {
    kind: 'own',
    endToken,
    turn: (text, pictures) => ({ tokens: asked(text), before: Array<number>(pictures).fill(1) }),
    answer: (text, answer) => continuation(asked(text), encode(`${sentence(text)} ${answer.trim()}`)),
    conversation: null,
    layout: layoutWithin(1),
  };
}
