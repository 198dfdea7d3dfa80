/**
 * Parses Python literals, like `ast.literal_eval`, without evaluating anything. Strings, bytes, numbers, True, False,
 * None, tuples, lists, sets and dictionaries, with bounds on depth and size.
 */
import { EmacError } from '@emac/core';

/** Tuples and sets are lists; dictionary keys are texts, others in printed form; bytes are text, byte by byte. */
export type PythonValue =
  string | number | bigint | boolean | null | readonly PythonValue[] | ReadonlyMap<string, PythonValue>;

const deepest = 32;
const mostValues = 200_000;

interface Reader {
  readonly text: string;
  at: number;
  /** values so far */
  count: number;
}

/** Errors: `data` naming the place. */
export function pythonValue(text: string): PythonValue {
  const reader = { text, at: 0, count: 0 };
  const read = value(reader, 0);
  skipSpace(reader);
  if (reader.at < text.length) throw fault(reader, 'ends before this');
  return read;
}

function value(reader: Reader, depth: number): PythonValue {
  if (depth > deepest) throw fault(reader, `is nested deeper than ${deepest}`);
  if (++reader.count > mostValues) throw fault(reader, `holds more than ${mostValues} values`);
  skipSpace(reader);
  const { text, at } = reader;
  switch (text[at]) {
    case '[':
      return list(reader, ']', depth);
    case '(':
      return parenthesized(reader, depth);
    case '{':
      return braced(reader, depth);
    default:
      return startOfString.test(text.slice(at, at + 3)) ? strings(reader) : word(reader);
  }
}

/** Elements up to the closing bracket; a trailing comma is allowed. */
function list(reader: Reader, end: string, depth: number): PythonValue[] {
  reader.at++;
  const elements: PythonValue[] = [];
  while (!closes(reader, end)) {
    elements.push(value(reader, depth + 1));
    if (!separated(reader, end)) break;
  }
  return elements;
}

/** A tuple, or one value in parentheses. */
function parenthesized(reader: Reader, depth: number): PythonValue {
  const start = reader.at;
  const elements = list(reader, ')', depth);
  const isTuple = elements.length !== 1 || /,\s*\)$/.test(reader.text.slice(start, reader.at));
  return isTuple ? elements : elements[0]!;
}

/** A dictionary, or a set. */
function braced(reader: Reader, depth: number): PythonValue {
  reader.at++;
  const entries = new Map<string, PythonValue>();
  const elements: PythonValue[] = [];
  while (!closes(reader, '}')) {
    const first = value(reader, depth + 1);
    skipSpace(reader);
    if (reader.text[reader.at] === ':') {
      reader.at++;
      entries.set(String(first), value(reader, depth + 1));
    } else elements.push(first);
    if (entries.size > 0 && elements.length > 0) throw fault(reader, 'mixes a set and a dictionary');
    if (!separated(reader, '}')) break;
  }
  return elements.length > 0 ? elements : entries;
}

function closes(reader: Reader, end: string): boolean {
  skipSpace(reader);
  if (reader.text[reader.at] !== end) return false;
  reader.at++;
  return true;
}

/** True if another element may follow; false at the end, after consuming it. */
function separated(reader: Reader, end: string): boolean {
  skipSpace(reader);
  const found = reader.text[reader.at];
  if (found !== ',' && found !== end) throw fault(reader, `needs , or ${end} here`);
  reader.at++;
  return found === ',';
}

const startOfString = /^(?:[bBuU]|[rR][bB]?|[bB][rR])?["']/;

/** Adjacent strings are joined. */
function strings(reader: Reader): string {
  const parts: string[] = [];
  do {
    parts.push(string(reader));
    skipSpace(reader);
  } while (startOfString.test(reader.text.slice(reader.at, reader.at + 3)));
  return parts.join('');
}

function string(reader: Reader): string {
  const { text } = reader;
  const prefix = /^[a-zA-Z]*/.exec(text.slice(reader.at, reader.at + 3))![0].toLowerCase();
  reader.at += prefix.length;
  const quote = text.startsWith(text[reader.at]!.repeat(3), reader.at)
    ? text[reader.at]!.repeat(3)
    : text[reader.at]!;
  reader.at += quote.length;
  const parts: string[] = [];
  for (;;) {
    const from = reader.at;
    while (reader.at < text.length && text[reader.at] !== '\\' && text[reader.at] !== quote[0]) reader.at++;
    const piece = text.slice(from, reader.at);
    if (quote.length === 1 && piece.includes('\n')) throw fault(reader, 'breaks a line in a string');
    parts.push(piece);
    if (reader.at >= text.length) throw fault(reader, 'ends within a string');
    if (text.startsWith(quote, reader.at)) break;
    parts.push(text[reader.at] === '\\' ? escaped(reader, prefix) : text[reader.at++]!);
  }
  reader.at += quote.length;
  return parts.join('');
}

const simple: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** The meaning of a backslash sequence; an unknown escape stays as it is, as in Python. */
function escaped(reader: Reader, prefix: string): string {
  const { text, at } = reader;
  const next = text[at + 1];
  if (next === undefined) throw fault(reader, 'ends within a string');
  if (prefix.includes('r')) return taken(reader, 2, text.slice(at, at + 2));
  if (simple[next] !== undefined) return taken(reader, 2, simple[next]);
  const octal = /^[0-7]{1,3}/.exec(text.slice(at + 1, at + 4))?.[0];
  if (octal) return taken(reader, 1 + octal.length, String.fromCodePoint(parseInt(octal, 8)));
  const digits = { x: 2, u: 4, U: 8 }[next];
  if (digits === undefined || (prefix.includes('b') && next !== 'x')) return taken(reader, 1, '\\');
  const hex = text.slice(at + 2, at + 2 + digits);
  const code = /^[0-9a-fA-F]+$/.test(hex) && hex.length === digits ? parseInt(hex, 16) : NaN;
  if (!(code <= 0x10ffff)) throw fault(reader, `has \\${next} without ${digits} digits of a character`);
  return taken(reader, 2 + digits, String.fromCodePoint(code));
}

function taken(reader: Reader, count: number, as: string): string {
  reader.at += count;
  return as;
}

const words = new Map<string, PythonValue>([
  ['True', true],
  ['False', false],
  ['None', null],
]);
const number = /^[+-]?(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d+)?$/;

function word(reader: Reader): PythonValue {
  const found = /^[+-]?[\w.]+(?:(?<=[eE])[+-]\d+)?/.exec(reader.text.slice(reader.at, reader.at + 400))?.[0];
  if (found === undefined) throw fault(reader, 'has no value here');
  const known = words.get(found);
  if (known === undefined && !number.test(found))
    throw fault(reader, `holds ${JSON.stringify(found)}, which is not a literal`);
  reader.at += found.length;
  if (known !== undefined) return known;
  const digits = found.replaceAll('_', '');
  const isWhole = /^[+-]?\d+$/.test(digits);
  return isWhole && !Number.isSafeInteger(Number(digits)) ? BigInt(digits.replace('+', '')) : Number(digits);
}

function skipSpace(reader: Reader): void {
  while (' \t\n\r\f'.includes(reader.text[reader.at] ?? '.')) reader.at++;
}

function fault({ at }: Reader, what: string): EmacError {
  return new EmacError('data', `Python literal, character ${at}: ${what}`);
}
