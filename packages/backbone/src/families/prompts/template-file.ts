/**
 * A folder's chat template: where it stands, and its rendering as transformers renders it. Departure: a template that prints the date prints
 * LLaMA 3's default, so that prompts do not depend on a clock.
 */
import { dirname, join } from '@emac/platform';

import { EmacError, messageOf } from '@emac/core';
import { isThere, readText } from '@emac/files';

import { readJsonObject } from '../../files/json-object.ts';
import type { TextTokenizer } from '../../files/tokenizer.ts';
import { boundedTemplate, type BoundedTemplate } from './bounded-template.ts';
import { marks, withMarks, type SpokenMessage } from './written.ts';

/** the date in LLaMA 3's templates where there is no clock */
const date = '26 Jul 2024';

export type Render = (
  messages: readonly SpokenMessage[],
  addGenerationPrompt: boolean,
  options?: { readonly tools?: readonly unknown[] | null; readonly marked?: boolean },
) => string;

/** Errors: `data` for a template that cannot be read; its renderings fail so too. */
export function renderer(
  source: string,
  { place, tokenizer }: { place: string; tokenizer: TextTokenizer },
): Render {
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
    failing(() => boundedTemplate(text.replace(/\bstrftime_now\b/g, 'fixed_date')));
  const template = compiled(source);
  let withMarked: BoundedTemplate | null = null;
  return (messages, addGenerationPrompt, { tools = null, marked = false } = {}) =>
    failing(() => {
      const rendered = marked ? (withMarked ??= compiled(withMarks(source))) : template;
      const text = rendered({
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
      });
      requireLength(text, { messages, tools });
      return text;
    });
}

/** characters that a template may write of its own, and how many for each that it is given: indented JSON takes several */
const mostWritten = { own: 200_000, perGiven: 10 } as const;

/** Errors: an `Error` for a text that would take minutes to read, whatever was said. */
function requireLength(text: string, given: unknown): void {
  if (text.length <= mostWritten.own) return;
  const most = mostWritten.own + mostWritten.perGiven * JSON.stringify(given).length;
  if (text.length > most)
    throw new Error(`it writes ${text.length} characters, at most ${most} are read here`);
}

/** Whether a folder has a chat template, given the path of its tokenizer. */
export function hasTemplate(tokenizerFile: string): boolean {
  return foundTemplate(tokenizerFile) !== null;
}

/** Errors: `missing`. */
export function readTemplate(tokenizerFile: string): FoundTemplate {
  const found = foundTemplate(tokenizerFile);
  if (found) return found;
  throw new EmacError(
    'missing',
    `${dirname(tokenizerFile)}: has no chat template (chat_template.jinja, chat_template.json, or chat_template in tokenizer_config.json); copy it from the published model`,
  );
}

export interface FoundTemplate {
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
