/** Ids of a text's beginnings, against those that the tokenizer gives each beginning by itself. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';

import { loadTokenizer } from './tokenizer.ts';

const fixtures = fileURLToPath(new URL('../../fixtures/text/', import.meta.url));

/** Tokens that look at what stands beside them, and one that begins with a blank. */
const heeding = [
  { content: '<mask>', lstrip: true },
  { content: '<pad>', rstrip: true },
  { content: 'cat', single_word: true },
  { content: '\n\n' },
];

function opened(name: string, further: readonly object[] = []) {
  if (further.length === 0) return loadTokenizer(join(fixtures, name, 'tokenizer.json'));
  const folder = mkdtempSync(join(tmpdir(), 'emac-text-ids-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(join(fixtures, name), folder, { recursive: true });
  const file = join(folder, 'tokenizer.json');
  const json = JSON.parse(readFileSync(file, 'utf8')) as { added_tokens: { id: number }[] };
  const next = Math.max(...json.added_tokens.map(({ id }) => id)) + 1000;
  const plain = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: false };
  const added = further.map((token, place) => ({ ...plain, ...token, id: next + place }));
  writeFileSync(file, JSON.stringify({ ...json, added_tokens: [...json.added_tokens, ...added] }));
  return loadTokenizer(file);
}

const pieces = fc.constantFrom(
  ...['<|im_start|>', '<|im_end|>', '<|eot_id|>', '</s>', '<s>', '<start_of_turn>', '<mask>', '<pad>', 'cat'],
  ...['go to ', 'desk', ' ', '\n', '\n\n', 'é', '日本', 'e\u0301', '\u0958', '12.5', '<|im_', "don't", '😀'],
);
const texts = fc.array(pieces, { maxLength: 14 }).map((each) => each.join(''));

describe.each([
  ['qwen2', []],
  ['llama', []],
  ['mistral', []],
  ['gemma3_text', []],
  ['qwen2', heeding],
  ['mistral', heeding],
] as const)('the ids of a text by %s with %j', (name, further) => {
  it('and of its beginnings are those of each by itself', () => {
    const { encode, idsOf } = opened(name, further);
    fc.assert(
      fc.property(texts, (text) => {
        const { ids, upTo } = idsOf(text);
        expect(ids).toEqual(encode(text));
        for (let end = 0; end <= text.length; end++) {
          const { shared, rest } = upTo(end);
          expect([...ids.slice(0, shared), ...rest]).toEqual(encode(text.slice(0, end)));
        }
      }),
      { numRuns: 15 },
    );
  });
});

describe('a bound on the ids of a text', () => {
  it.each(['qwen2', 'llama'])('holds without reading it: %s', (name) => {
    const { encode, mostIds } = opened(name);
    fc.assert(
      fc.property(texts, (text) => {
        expect(mostIds(text)).toBeGreaterThanOrEqual(encode(text, { special: true }).length);
      }),
    );
    // as many as bytes; NFC writes U+0958 as two letters of three bytes each
    const begin = encode('', { special: true }).length;
    expect(mostIds('desk') - begin).toBe(4);
    expect(mostIds('\u0958') - begin).toBeGreaterThanOrEqual(name === 'qwen2' ? 6 : 3);
  });

  it('is not known where a tokenizer may add to a text', () => {
    expect(opened('mistral').mostIds('desk')).toBe(Infinity);
  });
});
