/**
 * Parses parenthesised expressions like Fast Downward's PDDL reader: tokens are split only at blanks and parentheses (a
 * comma belongs to its word), `;` starts a comment, everything is lower-cased. An explicit stack keeps deeply nested
 * texts from exhausting the call stack.
 */
import { EmacError } from '@emac/core';

export type Expression = string | readonly Expression[];

const maximumDepth = 100;
const open = 0x28;
const close = 0x29;
const comment = 0x3b;

/** Reads exactly one expression; `place` names the text in errors (code `data`). */
export function readExpression(source: string, place: string): readonly Expression[] {
  const text = source.toLowerCase();
  const stack: Expression[][] = [[]];
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code <= 0x20) at++;
    else if (code === comment) at = endOfLine(text, at);
    else if (code === open) {
      if (stack.length > maximumDepth) throw damaged(place, `nested deeper than ${maximumDepth} levels`);
      stack.push([]);
      at++;
    } else if (code === close) {
      if (stack.length === 1) throw damaged(place, 'has one closing parenthesis too many');
      const done = stack.pop()!;
      stack.at(-1)!.push(done);
      at++;
    } else {
      const end = endOfWord(text, at);
      stack.at(-1)!.push(text.slice(at, end));
      at = end;
    }
  }
  if (stack.length > 1) throw damaged(place, `${stack.length - 1} parentheses are not closed (cut off?)`);
  const [only, ...more] = stack[0]!;
  if (only === undefined || typeof only === 'string' || more.length > 0)
    throw damaged(place, 'must hold exactly one parenthesised expression');
  return only;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

function endOfWord(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= 0x20 || code === open || code === close || code === comment) break;
  }
  return at;
}

export function damaged(place: string, reason: string): EmacError {
  return new EmacError('data', `${place}: ${reason}`);
}

/** The words of an expression that must be a list of words. */
export function wordsOf(expression: Expression, place: string): readonly string[] {
  if (typeof expression === 'string' || expression.some((part) => typeof part !== 'string'))
    throw damaged(place, `expected a list of words, got ${shorten(expression)}`);
  return expression as readonly string[];
}

/** The expression as text, shortened for a message. */
export function shorten(expression: Expression): string {
  const text = JSON.stringify(expression);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
