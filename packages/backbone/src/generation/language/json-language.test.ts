/** Texts that are in the language of a schema, and texts that are not, one character after another. */
import { expect, it } from 'vitest';
import { jsonLanguage } from './json-language.ts';
import { languages, type Language } from './language.ts';
import { tokenLanguage, vocabularyOf } from './token-language.ts';

const made = languages();

/** How many characters of a text may be read, and whether it may end there. */
function read(text: string, schema: object | null): { readonly length: number; readonly mayEnd: boolean } {
  let at: Language | null = jsonLanguage(made, schema as Record<string, unknown> | null, { isStrict: false });
  let length = 0;
  for (const each of text) {
    const next: Language | null = at && made.after(at, each);
    if (next === null) return { length, mayEnd: false };
    at = next;
    length++;
  }
  return { length, mayEnd: made.mayEnd(at!) };
}

const all = (text: string) => ({ length: [...text].length, mayEnd: true });

const person = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    age: { type: 'integer' },
    tags: { type: 'array', items: { enum: ['a', 'b'] } },
  },
  required: ['name'],
};
const tree = {
  type: 'object',
  properties: { left: { $ref: '#' }, leaf: { $ref: '#/$defs/leaf' } },
  $defs: { leaf: { anyOf: [{ type: 'null' }, { const: 7 }] } },
};

it.each<[string, object | null]>([
  ['{"name": "x", "age": -3, "tags": ["a", "b"]}', person],
  ['{"name":"x","tags":[]}', person],
  ['{"name": "a \\"quoted\\" \\u00e9 é 日 😀"}', person],
  ['{"left": {"left": {"leaf": 7}}, "leaf": null}', tree],
  ['{}', tree],
  ['{"a": [1.5e-3, true, {"b": null}], "c": ""}', null],
  ['[1, 2]', { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 3 }],
  ['[]', { type: 'array', maxItems: 0 }],
  ['"b"', { enum: ['a', 'b'] }],
  ['-0.5', { type: ['number', 'null'] }],
  ['{}', { type: 'object', properties: {}, additionalProperties: false }],
])('%s is in the language of its schema', (text, schema) => {
  expect(JSON.parse(text)).toBeDefined();
  expect(read(text, schema)).toEqual(all(text));
});

it.each<[string, object | null, number]>([
  // the age comes before the name
  ['{"age": 3}', person, 2],
  // the name is missing
  ['{}', person, 1],
  ['{"name": "x", "age": 1.5}', person, 22],
  ['{"name": "x", "tags": ["c"]}', person, 24],
  ['{"name": "x", "other": 1}', person, 15],
  ['{"name":  "x"}', person, 9],
  ['{"name": "x"\n}', person, 12],
  ['{"leaf": 8}', tree, 9],
  ['01', { type: 'integer' }, 1],
  ['[1]', { type: 'array', items: { type: 'number' }, minItems: 2 }, 2],
  ['[1]', null, 0],
  ['"a\u0000"', { type: 'string' }, 2],
])('%j leaves the language of its schema', (text, schema, length) => {
  expect(read(text, schema)).toEqual({ length, mayEnd: false });
});

it.each([
  [{ type: 'string', pattern: 'a' }, /pattern is not supported/],
  [{ type: 'text' }, /knows no type "text"/],
  [{ $ref: '#/$defs/none' }, /has nothing at #\/\$defs\/none/],
  [{ type: 'object', properties: { a: true }, required: ['b'] }, /requires b, which is no property/],
  [{ type: 'array', minItems: 65 }, /more than 64 items/],
  [{ allOf: [{}, {}] }, /allOf of several/],
])('a strict schema %j is refused', (schema, message) => {
  expect(() => jsonLanguage(made, schema, { isStrict: true })).toThrow(message);
});

it('a schema that is nothing but itself has no texts, and ends', () => {
  expect(read('1', { $ref: '#' })).toEqual({ length: 0, mayEnd: false });
});

it('tokens go on with a text where all their characters do, and the end token where it may end', () => {
  // a special token stands behind a mark of its own, which no text of JSON holds
  const texts = ['{"', 'a', '": ', '7', '7}', '}', 'x', '\u{FFFD}', '\u{F8F2}<end>', '{'];
  const { after } = tokenLanguage({
    languages: made,
    language: jsonLanguage(
      made,
      { type: 'object', properties: { a: { const: 77 } }, required: ['a'] },
      { isStrict: true },
    ),
    vocabulary: vocabularyOf(texts),
    endTokens: [8],
  });
  expect(after([])).toEqual([0, 9]);
  expect(after([0])).toEqual([1]);
  expect(after([0, 1, 2])).toEqual([3]);
  expect(after([0, 1, 2, 3])).toEqual([3, 4]);
  expect(after([0, 1, 2, 3, 4])).toEqual([8]);
  expect(after([0, 1, 2, 3, 4, 8])).toEqual([]);
  expect(after([6])).toEqual([]);
});
