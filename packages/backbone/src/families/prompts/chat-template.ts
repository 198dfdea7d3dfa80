/**
 * A folder's own chat template, rendered as transformers renders it. The user's turn is pictures, then text; the
 * assistant's turn is the answer with the template's own end token. In a conversation the pictures stand in the last turn. Templates that think by themselves (Qwen3) are told
 * not to. If a template opens a thought in any case (DeepSeek-R1, QwQ), the prompt closes it at once, in the words of Qwen3's template.
 * Departure: a template that prints the date prints LLaMA 3's default, so that prompts do not depend on a clock.
 */
import { dirname, join } from 'node:path';

import { EmacError, messageOf, type AskedMessage, type AskedTool, type ToolCall } from '@emac/core';
import { isThere, readText } from '@emac/files';
import { Template } from '@huggingface/jinja';

import { readJsonObject } from '../../files/json-object.ts';
import type { TextTokenizer } from '../../files/tokenizer.ts';
import { continuation, layoutWithin, type Conversation, type PromptForm, type Turn } from './prompt-form.ts';
import { callingMessage, speaksOfTools, toolForm, type ToolRequest } from './tool-form.ts';
import {
  answeredSpans,
  markedSpans,
  marks,
  marksGeneration,
  scoredTokens,
  withMarks,
  type SpokenMessage,
  type SpokenPart,
  type Writing,
  type Written,
} from './written.ts';

export interface ChatOptions {
  /** the folder's `tokenizer.json`; templates lie beside it */
  readonly tokenizerFile: string;
  readonly tokenizer: TextTokenizer;
  /** id of the token that stands for a picture; null for a model that reads text alone */
  readonly imageToken: number | null;
  /** axes of positions */
  readonly axes: 1 | 3;
}

/** How a message holds its text: as a string, or as a list of parts, in which pictures can stand. */
type ContentForm = 'string' | 'parts';

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
  const conversation: Conversation = {
    turn: (said, pictures) => turnOf(prompt(said, imageToken === null ? 0 : pictures), pictures),
    asked: (request, pictures) => turnOf(withThoughtClosed(requestText(inForm(request), pictures)), pictures),
    called: (call) => {
      const asking = { messages: [{ role: 'user', content: probe.text }], tools: [toolOf(call)] };
      const before = withThoughtClosed(requestText(inForm(asking), 0));
      const answered = inForm({ ...asking, messages: [...asking.messages, callingMessage(call)] });
      const whole = afterThought(requestText(answered, 0, false), before);
      if (!whole.startsWith(before))
        throw new EmacError('data', `${place}: the chat template must put a call of a tool after its prompt`);
      const ids = continuation(encode(before), encode(whole));
      const end = ids.indexOf(endToken);
      return end === -1 ? ids : ids.slice(0, end);
    },
    answer: (said, answer) => {
      const { before, whole, end } = both(said, answer.trim());
      return continuation(encode(before), encode(whole.slice(0, end)));
    },
    written: (messages, writing) =>
      writtenIn(messages, writing, { source, place, rendered, encode, content, imageToken, endText }),
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

interface WritingForm {
  readonly source: string;
  readonly place: string;
  readonly rendered: Render;
  encode(text: string): number[];
  readonly content: ContentForm;
  readonly imageToken: number | null;
  /** the text of the token that ends an answer */
  readonly endText: string;
}

/** A whole conversation. Errors: `usage` for tools that the template does not read. */
function writtenIn(
  messages: readonly SpokenMessage[],
  { from, turns, tools }: Writing,
  { source, place, rendered, encode, content, imageToken, endText }: WritingForm,
): Written {
  if (tools && !/\btools\b/.test(source))
    throw new EmacError(
      'usage',
      `${place}: the chat template does not read tools; leave them out, or take a model whose template has them`,
    );
  if (imageToken === null || content === 'string') requireNoPictures(messages, place);
  const said = messages.map((message) => spoken(message, content));
  const render = (count: number, asksForAnswer: boolean) =>
    rendered(said.slice(0, count), asksForAnswer, { tools });
  const whole = render(said.length, false);
  const marked = marksGeneration(source) ? markedSpans(rendered(said, false, { tools, marked: true })) : null;
  const beginning = (count: number, asks: boolean) => (count === 0 && !asks ? '' : render(count, asks));
  const spans =
    marked?.text === whole
      ? marked.spans
      : answeredSpans(whole, { beginning, messages: said, endText, place });
  const first = from === 0 ? 0 : commonStart(render(from, true), whole);
  const kept = spans.filter(([start]) => start >= first);
  const ids = encode(whole);
  const scored = scoredTokens(whole, turns === 'last' ? kept.slice(-1) : kept, { ids, encode });
  return withoutPictures(ids, scored, imageToken);
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

function isNoText({ type, text }: SpokenPart): boolean {
  return type !== 'text' && text === undefined;
}

/** Errors: `data` for a part that the template would leave out. */
function requireNoPictures(messages: readonly SpokenMessage[], place: string): void {
  for (const { content } of messages) {
    const other = typeof content === 'string' ? undefined : content?.find(isNoText);
    if (other)
      throw new EmacError(
        'data',
        `${place}: reads texts alone, and a message holds a part {"type": "${other.type}"}; leave it out, or take a model that sees pictures`,
      );
  }
}

/** A message whose content has the form that the template reads. */
function spoken(message: SpokenMessage, content: ContentForm): SpokenMessage {
  const given = message.content ?? null;
  if (given === null) return message;
  if (content === 'parts')
    return { ...message, content: typeof given === 'string' ? [{ type: 'text', text: given }] : given };
  return typeof given === 'string'
    ? message
    : { ...message, content: given.map(({ text = '' }) => text).join('') };
}

function commonStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

function withoutPictures(
  ids: readonly number[],
  scored: readonly boolean[],
  imageToken: number | null,
): Written {
  const written = { tokens: [] as number[], scored: [] as boolean[], before: [] as number[] };
  ids.forEach((id, place) => {
    if (id === imageToken) written.before.push(written.tokens.length);
    else {
      written.tokens.push(id);
      written.scored.push(scored[place]!);
    }
  });
  return written;
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

/** the date in LLaMA 3's templates where there is no clock */
const date = '26 Jul 2024';

type Render = (
  messages: readonly SpokenMessage[],
  addGenerationPrompt: boolean,
  options?: { readonly tools?: readonly unknown[] | null; readonly marked?: boolean },
) => string;

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
  // the library's clock cannot be replaced under its own name
  const compiled = (text: string) =>
    failing(() => new Template(text.replace(/\bstrftime_now\b/g, 'fixed_date')));
  const template = compiled(source);
  let withMarked: Template | null = null;
  return (messages, addGenerationPrompt, { tools = null, marked = false } = {}) =>
    failing(() =>
      (marked ? (withMarked ??= compiled(withMarks(source))) : template).render({
        messages,
        ...(tools && { tools }),
        generation_begin: marks.begin,
        generation_end: marks.end,
        add_generation_prompt: addGenerationPrompt,
        bos_token: bos,
        eos_token: eos,
        enable_thinking: false,
        date_string: date,
        fixed_date: () => date,
      }),
    );
}

/** Whether a folder has a chat template, given the path of its tokenizer. */
export function hasTemplate(tokenizerFile: string): boolean {
  return foundTemplate(tokenizerFile) !== null;
}

function readTemplate(tokenizerFile: string): FoundTemplate {
  const found = foundTemplate(tokenizerFile);
  if (found) return found;
  throw new EmacError(
    'missing',
    `${dirname(tokenizerFile)}: has no chat template (chat_template.jinja, chat_template.json, or chat_template in tokenizer_config.json); copy it from the published model`,
  );
}

interface FoundTemplate {
  readonly source: string;
  /** the one for requests with tools, where it is another */
  readonly withTools: string | null;
  readonly place: string;
}

/** The first of `chat_template.jinja`, `chat_template.json` and `tokenizer_config.json` with a template. */
function foundTemplate(tokenizerFile: string): FoundTemplate | null {
  const folder = dirname(tokenizerFile);
  const jinja = join(folder, 'chat_template.jinja');
  const besides = join(folder, 'additional_chat_templates', `${toolTemplate}.jinja`);
  const withTools = isThere(besides) ? readText(besides) : null;
  if (isThere(jinja)) return { source: readText(jinja), withTools, place: jinja };
  for (const name of ['chat_template.json', 'tokenizer_config.json']) {
    const place = join(folder, name);
    const given = isThere(place) ? readJsonObject(place)['chat_template'] : undefined;
    const source = templateOf(given, 'default');
    if (typeof source !== 'string') continue;
    const other = Array.isArray(given) ? templateOf(given, toolTemplate) : null;
    return { source, withTools: typeof other === 'string' ? other : withTools, place };
  }
  return null;
}

/** its name in transformers */
const toolTemplate = 'tool_use';

/** Of several templates the one with this name. */
function templateOf(given: unknown, wanted: string): unknown {
  if (!Array.isArray(given)) return given;
  const named = given as readonly ({ readonly name?: unknown; readonly template?: unknown } | null)[];
  return named.find((each) => each?.name === wanted)?.template;
}
