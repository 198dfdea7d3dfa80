/**
 * Every key of `tokenizer_config.json` that transformers' tokenizer classes know (4.57.1, `tools/reference/write_tokenizer_keys.py`), changed
 * one at a time: ids and texts change as there, or the key is refused by its name. Likewise the files beside it, and the class.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { EmacError } from '@emac/core';
import { afterAll, describe, expect, it } from 'vitest';

import { readJsonObject, type JsonObject } from './json-object.ts';
import { loadTokenizer } from './tokenizer.ts';

interface Result {
  readonly ids: readonly (readonly number[])[];
  /** of the first texts, with the template */
  readonly special: readonly (readonly number[])[];
  /** of the ids, without special tokens and with them */
  readonly decoded: readonly string[];
  readonly whole: readonly string[];
  readonly bos_token: number | null;
  readonly eos_token: number | null;
  readonly pad_token: number | null;
}

interface Case {
  readonly value: unknown;
  /** what differs from the base; missing: nothing, null: transformers opens none */
  readonly result?: Partial<Result> | null;
}

interface Walk {
  readonly kind: string;
  readonly config: JsonObject;
  readonly result: Result;
  readonly keys: Readonly<Record<string, readonly Case[]>>;
}

const at = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const { texts, tokenizers, walks, classes, beside } = readJsonObject(
  at('fixtures/tokenizer-keys.json'),
) as unknown as {
  readonly texts: readonly string[];
  readonly tokenizers: Readonly<Record<string, JsonObject>>;
  readonly walks: readonly Walk[];
  readonly classes: Readonly<
    Record<string, readonly { readonly classes: readonly string[]; readonly result: Result | null }[]>
  >;
  readonly beside: Readonly<
    Record<
      string,
      {
        readonly kind: string;
        readonly cases: Readonly<
          Record<string, { readonly files: JsonObject; readonly result: Result | null }>
        >;
      }
    >
  >;
};

const parent = mkdtempSync(join(tmpdir(), 'emac-tokenizer-keys-'));
afterAll(() => rmSync(parent, { recursive: true }));

/** What our tokenizer makes of the texts, or why it refuses the files. */
function opened(files: JsonObject): Result | EmacError {
  const folder = mkdtempSync(join(parent, 'folder-'));
  for (const [name, value] of Object.entries(files)) writeFileSync(join(folder, name), JSON.stringify(value));
  try {
    const tokenizer = loadTokenizer(join(folder, 'tokenizer.json'));
    const ids = texts.map((text) => tokenizer.encode(text));
    return {
      ids,
      special: texts.slice(0, 2).map((text) => tokenizer.encode(text, { special: true })),
      decoded: ids.map((each) => tokenizer.decode(each)),
      whole: ids.map((each) => tokenizer.decode(each, { special: true })),
      bos_token: tokenizer.beginToken,
      eos_token: tokenizer.endToken,
      pad_token: tokenizer.padToken,
    };
  } catch (thrown) {
    if (thrown instanceof EmacError) return thrown;
    throw thrown;
  }
}

/** The reference's, with our ids where it has none: a folder that names no begin token has a customary one here. */
function like(found: Result, reference: Result): Result {
  const named = ['bos_token', 'eos_token', 'pad_token'] as const;
  const own = named.filter((key) => reference[key] === null).map((key) => [key, found[key]]);
  return { ...reference, ...Object.fromEntries(own) };
}

type Outcome = 'read' | 'refused' | 'idle';

/** Errors: an expectation that failed. */
function outcomeOf({ kind, config, result: usual }: Walk, key: string, { value, result }: Case): Outcome {
  const found = opened({
    'tokenizer.json': tokenizers[kind],
    'tokenizer_config.json': { ...config, [key]: value },
  });
  const place = `${String(config['tokenizer_class'])}: ${key} ${JSON.stringify(value)}`;
  if (found instanceof EmacError) {
    expect(found.message, place).toContain(key);
    return 'refused';
  }
  // what transformers opens is opened equally; newer versions open more
  if (result !== null) expect.soft(found, place).toEqual(like(found, { ...usual, ...result }));
  return result ? 'read' : 'idle';
}

describe.each(walks)('tokenizer_config.json of $config.tokenizer_class over $kind', (walk) => {
  it('has no key that changes ids or texts and is neither read nor refused', () => {
    const base = opened({ 'tokenizer.json': tokenizers[walk.kind], 'tokenizer_config.json': walk.config });
    expect(base).toEqual(like(base as Result, walk.result));
    const outcomes = Object.entries(walk.keys).map(([key, cases]) => {
      const all = cases.map((each) => outcomeOf(walk, key, each));
      return all.includes('read') ? 'read' : all.includes('refused') ? 'refused' : 'idle';
    });
    const count = (wanted: Outcome) => outcomes.filter((each) => each === wanted).length;
    const row = new RegExp(
      `^\\| \`${String(walk.config['tokenizer_class'])}\`, ${walk.kind} \\| (\\d+) \\| (\\d+) \\| (\\d+) \\|$`,
      'm',
    );
    const counts = row
      .exec(readFileSync(at('README.md'), 'utf8'))
      ?.slice(1)
      .map(Number);
    expect(counts).toEqual([count('read'), count('refused'), count('idle')]);
  });
});

describe.each(Object.entries(beside))('files beside the tokenizer of %s', (_, { kind, cases }) => {
  it.each(Object.entries(cases))('%s', (_, { files, result }) => {
    const found = opened({ 'tokenizer.json': tokenizers[kind], ...files });
    if (result === null) return;
    if (found instanceof EmacError) expect(found.message).toMatch(/added_tokens|special_tokens_map|class/);
    else expect(found).toEqual(like(found, result));
  });
});

describe.each(Object.entries(classes))('a tokenizer of %s', (kind, groups) => {
  it('is opened as its class does, or refused by the name of the class', () => {
    for (const { classes: names, result } of groups)
      for (const name of names) {
        const found = opened({
          'tokenizer.json': tokenizers[kind],
          'tokenizer_config.json': { tokenizer_class: name },
        });
        if (found instanceof EmacError) expect.soft(found.message, name).toContain(name);
        else if (result !== null) expect.soft(found, name).toEqual(like(found, result));
      }
  });
});
