/**
 * ALFWorld's text grammar (twl2): JSON blocks of rules, and for each action a command template, a feedback
 * text and further rules. A later rule of the same name replaces an earlier one. `#` to the end of a line is
 * a comment.
 */
import { EmacError, messageOf } from '@emac/core';
import { damaged } from '../pddl/s-expression.ts';

export interface Alternative {
  /** empty: always */
  readonly condition: string;
  readonly text: string;
}

export interface Grammar {
  readonly rules: ReadonlyMap<string, readonly Alternative[]>;
  /** by lower-case action name */
  readonly actions: ReadonlyMap<string, { readonly template: string; readonly feedback: string }>;
}

/** Reads a grammar; a fault is an error of code `data` that names `place`. */
export function readGrammar(source: string, place: string): Grammar {
  const rules = new Map<string, readonly Alternative[]>();
  const actions = new Map<string, { template: string; feedback: string }>();
  const cursor = new Cursor(source, place);
  while (!cursor.atEnd()) {
    const word = cursor.word();
    if (word === 'grammar') addRules(rules, cursor.value(), place);
    else if (word === 'action') {
      const name = cursor.word();
      actions.set(name.toLowerCase(), readAction(cursor, rules, `${place}, action ${name}`));
    } else throw damaged(place, `expected 'grammar' or 'action', got '${word}'`);
  }
  return { rules, actions };
}

function readAction(
  cursor: Cursor,
  rules: Map<string, readonly Alternative[]>,
  place: string,
): { template: string; feedback: string } {
  const parts = new Map<string, string>();
  cursor.expect('{');
  while (!cursor.take('}')) {
    const key = cursor.word();
    const value = cursor.value();
    if (key === 'grammar') addRules(rules, value, place);
    else parts.set(key, value);
  }
  const template = parts.get('template');
  const feedback = parts.get('feedback');
  if (template === undefined || feedback === undefined)
    throw damaged(place, 'needs a template and a feedback');
  return { template, feedback };
}

function addRules(rules: Map<string, readonly Alternative[]>, json: string, place: string): void {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch (error) {
    throw new EmacError('data', `${place}: a rule block is not JSON: ${messageOf(error)}`, { cause: error });
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw damaged(place, 'a rule block must be an object');
  for (const [name, alternatives] of Object.entries(parsed))
    rules.set(name, readAlternatives(alternatives, `${place}, rule ${name}`));
}

function readAlternatives(value: unknown, place: string): Alternative[] {
  if (!Array.isArray(value)) throw damaged(place, 'must be a list');
  return value.map((each: unknown) => {
    const { rhs, condition = '' } = (each ?? {}) as { rhs?: unknown; condition?: unknown };
    if (typeof rhs !== 'string' || typeof condition !== 'string')
      throw damaged(place, 'each alternative needs a text rhs, and its condition must be text');
    return { text: rhs, condition };
  });
}

/** Reads words, punctuation and quoted values in sequence. */
class Cursor {
  readonly #text: string;
  readonly #place: string;
  #at = 0;

  constructor(text: string, place: string) {
    this.#text = text;
    this.#place = place;
  }

  atEnd(): boolean {
    this.#skip();
    return this.#at >= this.#text.length;
  }

  take(token: string): boolean {
    this.#skip();
    if (!this.#text.startsWith(token, this.#at)) return false;
    this.#at += token.length;
    return true;
  }

  expect(token: string): void {
    if (!this.take(token))
      throw damaged(this.#place, `expected '${token}' at character ${this.#at} (cut off?)`);
  }

  word(): string {
    this.#skip();
    const pattern = /[A-Za-z_][\w-]*/y;
    pattern.lastIndex = this.#at;
    const word = pattern.exec(this.#text)?.[0];
    if (word === undefined) throw damaged(this.#place, `expected a word at character ${this.#at} (cut off?)`);
    this.#at += word.length;
    return word;
  }

  /** `:: "…";` or `:: """…""";` */
  value(): string {
    this.expect('::');
    const quote = this.take('"""') ? '"""' : '"';
    if (quote === '"') this.expect('"');
    const end = this.#text.indexOf(quote, this.#at);
    if (end < 0)
      throw damaged(this.#place, `a quoted text is not closed at character ${this.#at} (cut off?)`);
    const value = this.#text.slice(this.#at, end);
    this.#at = end + quote.length;
    this.expect(';');
    return value;
  }

  #skip(): void {
    const pattern = /(?:\s+|#[^\n]*)*/y;
    pattern.lastIndex = this.#at;
    pattern.exec(this.#text);
    this.#at = pattern.lastIndex;
  }
}
