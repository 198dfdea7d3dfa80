/**
 * A folder's own chat template, rendered as transformers renders it. The user's turn is pictures, then text; the
 * assistant's turn is the answer with the template's own end token.
 */
import { dirname, join } from 'node:path';

import { EmacError, messageOf } from '@emac/core';
import { isThere, whileReading } from '@emac/files';
import { Template } from '@huggingface/jinja';
import { readFileSync } from 'node:fs';

import { readJsonObject } from '../files/json-object.ts';
import type { TextTokenizer } from '../files/tokenizer.ts';
import { continuation, layoutWithin, type PromptForm, type Turn } from './prompt-form.ts';

export interface ChatOptions {
  /** the folder's `tokenizer.json`; templates lie beside it */
  readonly tokenizerFile: string;
  readonly tokenizer: TextTokenizer;
  /** id of the token that stands for a picture */
  readonly imageToken: number;
  /** axes of positions */
  readonly axes: 1 | 3;
}

interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}

/** Errors: `missing` without a template; `data` if it is invalid, writes no pictures, or does not put answers after prompts. */
export function chatForm({ tokenizerFile, tokenizer, imageToken, axes }: ChatOptions): PromptForm {
  const { source, place } = readTemplate(tokenizerFile);
  const rendered = renderer(source, { place, tokenizer });
  const encode = (text: string): number[] => {
    const begin = tokenizer.beginToken;
    const hasBegin = begin !== null && text.startsWith(tokenizer.decode([begin], { special: true }));
    return tokenizer.encode(text, { special: !hasBegin });
  };
  const prompt = (text: string, pictures: number) => rendered([userTurn(text, pictures)], true);
  const both = (text: string, answer: string) => {
    const before = prompt(text, 1);
    const said: Message = { role: 'assistant', content: [{ type: 'text', text: answer }] };
    const whole = rendered([userTurn(text, 1), said], false);
    const start = whole.startsWith(before) ? whole.indexOf(answer, before.length) : -1;
    if (start === -1)
      throw new EmacError(
        'data',
        `${place}: the chat template must put an answer behind the prompt that asks for it, and does not; does it read lists of content parts such as {"type": "text"}?`,
      );
    return { before, whole, end: start + answer.length };
  };
  const turn = (text: string, pictures: number) =>
    splitTurn(encode(prompt(text, pictures)), { imageToken, pictures, place });
  // a template that writes no pictures fails here, not at the first prompt
  turn('a', 1);
  return {
    endToken: endTokenOf(both('a', 'b'), { tokenizer, place }),
    turn,
    answer: (text, answer) => {
      const { before, whole, end } = both(text, answer.trim());
      return continuation(encode(before), encode(whole.slice(0, end)));
    },
    layout: layoutWithin(axes),
  };
}

function userTurn(text: string, pictures: number): Message {
  const images = Array.from({ length: pictures }, () => ({ type: 'image' }));
  return { role: 'user', content: [...images, { type: 'text', text }] };
}

/** The template's own token after an answer if it writes one, else the tokenizer's end token. */
function endTokenOf(
  { whole, end }: { readonly whole: string; readonly end: number },
  { tokenizer, place }: { readonly tokenizer: TextTokenizer; readonly place: string },
): number {
  const [written] = tokenizer.encode(whole.slice(end).trimStart());
  const isSpecial = written !== undefined && tokenizer.decode([written]) === '';
  const found = isSpecial ? written : tokenizer.endToken;
  if (found !== null) return found;
  throw new EmacError(
    'data',
    `${place}: writes no end token after an answer, and the tokenizer names none; name it in tokenizer_config.json (eos_token)`,
  );
}

function splitTurn(
  ids: readonly number[],
  { imageToken, pictures, place }: { imageToken: number; pictures: number; place: string },
): Turn {
  const tokens: number[] = [];
  const before: number[] = [];
  for (const id of ids)
    if (id === imageToken) before.push(tokens.length);
    else tokens.push(id);
  if (before.length === pictures) return { tokens, before };
  throw new EmacError(
    'data',
    `${place}: the chat template must write one image token (${imageToken}) for each picture of a message, got ${before.length} for ${pictures}; ${before.length < pictures ? 'does it read lists of content parts such as {"type": "image"}?' : 'does the text hold one?'}`,
  );
}

type Render = (messages: readonly Message[], addGenerationPrompt: boolean) => string;

function renderer(source: string, { place, tokenizer }: { place: string; tokenizer: TextTokenizer }): Render {
  const textOf = (token: number | null) =>
    token === null ? '' : tokenizer.decode([token], { special: true });
  const [bos, eos] = [textOf(tokenizer.beginToken), textOf(tokenizer.endToken)];
  const failing = <T>(make: () => T): T => {
    try {
      return make();
    } catch (thrown) {
      throw new EmacError('data', `${place}: the chat template cannot be rendered (${messageOf(thrown)})`);
    }
  };
  const template = failing(() => new Template(source));
  return (messages, addGenerationPrompt) =>
    failing(() =>
      template.render({
        messages,
        add_generation_prompt: addGenerationPrompt,
        bos_token: bos,
        eos_token: eos,
      }),
    );
}

/** The first of `chat_template.jinja`, `chat_template.json` and `tokenizer_config.json` with a template. */
function readTemplate(tokenizerFile: string): { readonly source: string; readonly place: string } {
  const folder = dirname(tokenizerFile);
  const jinja = join(folder, 'chat_template.jinja');
  if (isThere(jinja)) return { source: whileReading(jinja, () => readFileSync(jinja, 'utf8')), place: jinja };
  for (const name of ['chat_template.json', 'tokenizer_config.json']) {
    const place = join(folder, name);
    const source = isThere(place) ? readJsonObject(place)['chat_template'] : undefined;
    if (typeof source === 'string') return { source, place };
  }
  throw new EmacError(
    'missing',
    `${folder}: has no chat template (chat_template.jinja, chat_template.json, or chat_template in tokenizer_config.json); copy it from the published model`,
  );
}
