/**
 * A folder's own chat template, rendered as transformers renders it. The user's turn is pictures, then text; the
 * assistant's turn is the answer with the template's own end token. In a conversation the pictures stand in the last turn. Templates that think by themselves (Qwen3) are told
 * not to. If a template opens a thought in any case (DeepSeek-R1, QwQ), the prompt closes it at once, in the words of Qwen3's template.
 */
import {
  EmacError,
  type AnswerConstraint,
  type AskedMessage,
  type AskedTool,
  type ToolCall,
} from '@emac/core';

import { idsAtOnce } from '../../files/text-ids.ts';
import type { TextTokenizer } from '../../files/tokenizer.ts';
import { continuation, layoutWithin, type Conversation, type PromptForm, type Turn } from './prompt-form.ts';
import { answerLanguage } from '../../generation/language/answer-language.ts';
import { languages } from '../../generation/language/language.ts';
import { readTemplate, renderer, type Render } from './template-file.ts';
import { callingMessage, speaksOfTools, toolForm, type ToolRequest } from './tool-form.ts';
import type { SpokenMessage, SpokenPart, Writing } from './written.ts';
import { mostIdsIn, writtenIn, type ContentForm, type WritingForm } from './written-conversation.ts';

export interface ChatOptions {
  /** the folder's `tokenizer.json`; templates lie beside it */
  readonly tokenizerFile: string;
  readonly tokenizer: TextTokenizer;
  /** id of the token that stands for a picture; null for a model that reads text alone */
  readonly imageToken: number | null;
  /** axes of positions */
  readonly axes: 1 | 3;
}

/** a template that prints a list of parts as JSON would write the line's end as \\n */
const probe = { text: 'Say\nthis.', answer: 'Say\nthat.' } as const;

/**
 * Errors: `missing` without a template; `data` if it is invalid, writes no texts or pictures, or does not put answers
 * after prompts.
 */
export function chatForm({ tokenizerFile, tokenizer, imageToken, axes }: ChatOptions): PromptForm {
  const { source, withTools, place } = readTemplate(tokenizerFile);
  const rendered = renderer(source, { place, tokenizer });
  const renderedTools = withTools === null ? rendered : renderer(withTools, { place, tokenizer });
  const encode = (text: string): number[] => {
    // as transformers does: `apply_chat_template` of a tokenizer adds nothing, that of a processor what the template lacks
    if (imageToken === null) return tokenizer.encode(text);
    const begin = tokenizer.beginToken;
    const hasBegin = begin !== null && text.startsWith(tokenizer.decode([begin], { special: true }));
    return tokenizer.encode(text, { special: !hasBegin });
  };
  const addsNothing = imageToken === null || tokenizer.encode('', { special: true }).length === 0;
  const seen = imageToken === null ? 0 : 1;
  const content = imageToken === null ? contentForm(rendered, place) : 'parts';
  const prompt = (said: readonly string[], pictures: number) =>
    withThoughtClosed(rendered(messagesOf(said, { pictures, content }), true));
  const turnOf = (text: string, pictures: number): Turn =>
    imageToken === null
      ? { tokens: encode(text), before: [] }
      : splitTurn(encode(text), { imageToken, pictures, place });
  const both = (said: readonly string[], answer: string) => {
    const before = prompt(said, seen);
    const answered: SpokenMessage = {
      role: 'assistant',
      content: contentOf(answer, { pictures: 0, content }),
    };
    const messages = [...messagesOf(said, { pictures: seen, content }), answered];
    const whole = afterPrompt(rendered(messages, false), { before, answer });
    const start = whole.startsWith(before) ? whole.indexOf(answer, before.length) : -1;
    if (start === -1)
      throw new EmacError(
        'data',
        `${place}: the chat template must put an answer after its prompt, which ends with ${JSON.stringify(before.slice(-40))}; ${readsParts(content)}`,
      );
    return { before, whole, end: start + answer.length };
  };
  const requestText = ({ messages, tools = [] }: ToolRequest, pictures: number, isOpen = true): string => {
    const parts = withParts(messages, { pictures, content });
    return tools.length === 0 ? rendered(parts, isOpen) : renderedTools(parts, isOpen, { tools });
  };
  let form: ReturnType<typeof toolForm> | null = null;
  const inForm = (request: ToolRequest): ToolRequest => {
    if (!speaksOfTools(request)) return request;
    form ??= toolForm((tried) => requestText(tried, 0));
    return form(request);
  };
  const endToken = endTokenOf(both([probe.text], probe.answer), { tokenizer, place });
  const aroundCall = (call: ToolCall) => {
    const asking = { messages: [{ role: 'user', content: probe.text }], tools: [toolOf(call)] };
    const before = withThoughtClosed(requestText(inForm(asking), 0));
    const answered = inForm({ ...asking, messages: [...asking.messages, callingMessage(call)] });
    const whole = afterThought(requestText(answered, 0, false), before);
    if (!whole.startsWith(before))
      throw new EmacError('data', `${place}: the chat template must put a call of a tool after its prompt`);
    return { before, whole };
  };
  const formed: Conversation['formed'] = (asked, parts) => {
    const called = (call: ToolCall): string => {
      const { before, whole } = aroundCall(call);
      const text = whole.slice(before.length);
      const end = text.indexOf(endText);
      return (end === -1 ? text : text.slice(0, end)).trim();
    };
    return answerLanguage(asked, { ...parts, called });
  };
  /** the form of the last request, which was read without an error */
  let right = '';
  const requireForm = (asked: AnswerConstraint): void => {
    const key = JSON.stringify(asked);
    if (key !== right) formed(asked, { languages: languages() });
    right = key;
  };
  const writingForm = ({ tools }: Writing): WritingForm => ({
    ...(tools && withTools !== null ? { source: withTools, rendered: renderedTools } : { source, rendered }),
    place,
    idsOf: addsNothing ? tokenizer.idsOf : (text) => idsAtOnce(text, encode),
    mostIds: tokenizer.mostIds,
    content,
    imageToken,
    endText,
  });
  const conversation: Conversation = {
    turn: (said, pictures) => turnOf(prompt(said, imageToken === null ? 0 : pictures), pictures),
    asked: (request, pictures) => {
      if (request.form) requireForm(request.form);
      return turnOf(withThoughtClosed(requestText(inForm(request), pictures)), pictures);
    },
    called: (call) => {
      const { before, whole } = aroundCall(call);
      const ids = continuation(encode(before), encode(whole));
      const end = ids.indexOf(endToken);
      return end === -1 ? ids : ids.slice(0, end);
    },
    formed,
    answer: (said, answer) => {
      const { before, whole, end } = both(said, answer.trim());
      return continuation(encode(before), encode(whole.slice(0, end)));
    },
    written: (messages, writing) => writtenIn(messages, writing, writingForm(writing)),
    mostIds: (messages, writing) => mostIdsIn(messages, writing, writingForm(writing)),
  };
  // a template that writes no pictures or no texts fails here, not at the first prompt
  conversation.turn([probe.text], seen);
  if (!prompt([probe.text], seen).includes(probe.text)) throw writesNoText(place, content);
  const endText = tokenizer.decode([endToken], { special: true });
  return {
    kind: 'chat',
    endToken,
    turn: (text, pictures) => conversation.turn([text], pictures),
    answer: (text, answer) => conversation.answer([text], answer),
    conversation,
    layout: layoutWithin(axes),
  };
}

const opensThought = /<think>\s*$/;
const emptyThought = '<think>\n\n</think>\n\n';

/** A prompt that ends inside a thought, with the thought closed. */
function withThoughtClosed(prompt: string): string {
  return prompt.replace(opensThought, emptyThought);
}

/**
 * A turn and its answer, with the answer where the prompt ends: LLaVA-Interleave's template writes a blank more before an answer
 * than at the end of a prompt, and a thought stands in a prompt alone.
 */
function afterPrompt(whole: string, { before, answer }: { before: string; answer: string }): string {
  const isClosed = before.endsWith(emptyThought) && !whole.startsWith(before);
  const same = (isClosed ? before.slice(0, -emptyThought.length) : before).trimEnd();
  if (whole.startsWith(before) || !whole.startsWith(same)) return whole;
  const start = whole.indexOf(answer, same.length);
  const isBlank = start !== -1 && whole.slice(same.length, start).trim() === '';
  return isBlank ? before + whole.slice(start) : whole;
}

/** The same for a call, whose text is not known: the prompt's closed thought, which no earlier answer has. */
function afterThought(whole: string, before: string): string {
  if (whole.startsWith(before) || !before.endsWith(emptyThought)) return whole;
  const same = before.slice(0, -emptyThought.length).trimEnd();
  return whole.startsWith(same) ? before + whole.slice(same.length).trimStart() : whole;
}

/** A tool of which nothing is known but a call. */
function toolOf({ name }: ToolCall): AskedTool {
  return {
    type: 'function',
    function: { name, description: name, parameters: { type: 'object', properties: {} } },
  };
}

interface Contents {
  readonly pictures: number;
  readonly content: ContentForm;
}

/** Texts of user and assistant alternately; the pictures stand in the last message. */
function messagesOf(said: readonly string[], { pictures, content }: Contents): SpokenMessage[] {
  return said.map((text, place) => ({
    role: place % 2 === 0 ? 'user' : 'assistant',
    content: contentOf(text, { pictures: place === said.length - 1 ? pictures : 0, content }),
  }));
}

/** The messages of a request, whose fields stay. */
function withParts(messages: readonly AskedMessage[], { pictures, content }: Contents): SpokenMessage[] {
  return messages.map(({ content: text, ...fields }, place) => ({
    ...fields,
    content: contentOf(text, { pictures: place === messages.length - 1 ? pictures : 0, content }),
  }));
}

function contentOf(text: string, { pictures, content }: Contents): string | readonly SpokenPart[] {
  if (content === 'string') return text;
  const images = Array.from({ length: pictures }, () => ({ type: 'image' }));
  return [...images, { type: 'text', text }];
}

/** Strings, which most templates of language models take alone; parts for a template that wants those. Errors: `data` for one that writes neither. */
function contentForm(rendered: Render, place: string): ContentForm {
  const found = (['string', 'parts'] as const).find((content) => {
    try {
      return rendered(messagesOf([probe.text], { pictures: 0, content }), true).includes(probe.text);
    } catch {
      return false;
    }
  });
  if (found) return found;
  // the reason, where there is one
  rendered(messagesOf([probe.text], { pictures: 0, content: 'string' }), true);
  throw writesNoText(place, 'string');
}

function writesNoText(place: string, content: ContentForm): EmacError {
  return new EmacError(
    'data',
    `${place}: the chat template must write a user's text; ${readsParts(content)}`,
  );
}

const readsParts = (content: ContentForm): string =>
  content === 'parts'
    ? 'does it read lists of content parts such as {"type": "text"}?'
    : 'give the template that the model was published with';

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
