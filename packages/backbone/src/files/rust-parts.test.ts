/** Texts that Hugging Face's Rust tokenizers take apart otherwise than JavaScript would; ids by tokenizers 0.22 in Python. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, expect, it } from 'vitest';

import { loadTokenizer } from './tokenizer.ts';

const folder = mkdtempSync(join(tmpdir(), 'emac-rust-'));
afterAll(() => rmSync(folder, { recursive: true }));

const parts = {
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: null,
  post_processor: null,
  decoder: null,
};

/** Each piece of a text is a word of the vocabulary, from 1 on, or unknown, 0. */
const words = (vocabulary: readonly string[], changed: object) => ({
  ...parts,
  model: {
    type: 'WordLevel',
    unk_token: '?',
    vocab: Object.fromEntries(['?', ...vocabulary].map((word, id) => [word, id])),
  },
  ...changed,
});

function ids(json: object, text: string): number[] {
  const file = join(folder, 'tokenizer.json');
  writeFileSync(file, JSON.stringify(json));
  return loadTokenizer(file).encode(text);
}

it('Whitespace knows words of every script, U+0085 as a space and U+FEFF as none', () => {
  const json = words(['é', '日本', '!?', 'a\u0301'], { pre_tokenizer: { type: 'Whitespace' } });
  expect(ids(json, 'é日本 é!?\u0085日本 a\u0301\uFEFFé')).toEqual([0, 1, 3, 2, 4, 0, 1]);
});

it('WhitespaceSplit, Strip and ByteLevel go by the same spaces', () => {
  const split = words(['a', 'b', 'a\uFEFFb'], { pre_tokenizer: { type: 'WhitespaceSplit' } });
  expect(ids(split, 'a\u0085b a\uFEFFb')).toEqual([1, 2, 3]);
  const strip = words(['a', '\uFEFFa'], {
    normalizer: { type: 'Strip', strip_left: true, strip_right: true },
  });
  expect(ids(strip, '\u0085a\u0085')).toEqual([1]);
  expect(ids(strip, '\uFEFFa ')).toEqual([2]);
  // the bytes C2 85 and EF BB BF as ByteLevel writes them
  const vocab = { a: 0, Âħ: 1, 'ï»¿': 2, aÂħ: 3, 'aï»¿': 4 };
  const bytes = {
    ...parts,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, use_regex: true },
    model: { type: 'BPE', ignore_merges: true, vocab, merges: [] },
  };
  expect(ids(bytes, 'a\u0085a')).toEqual([0, 1, 0]);
  expect(ids(bytes, 'a\uFEFF')).toEqual([0, 2]);
});

it('lower case looks at one character, at the end of a word too', () => {
  expect(ids(words(['σοφοσ', 'σοφος'], { normalizer: { type: 'Lowercase' } }), 'ΣΟΦΟΣ')).toEqual([1]);
});

it('an added token of single words stands beside no letter, and takes the spaces beside it', () => {
  const added = (flags: object) => [{ special: false, normalized: false, ...flags }];
  const json = words(['a', 'b', 'words', 'aword'], {});
  const single = { ...json, added_tokens: added({ id: 5, content: 'word', single_word: true }) };
  expect(['a word a', 'words', 'word', 'aword', 'word b'].map((text) => ids(single, text))).toEqual([
    [0, 5, 0],
    [3],
    [5],
    [4],
    [5, 0],
  ]);
  const wide = { ...json, added_tokens: added({ id: 5, content: '<x>', lstrip: true, rstrip: true }) };
  expect(ids(wide, 'a\u0085 <x>\u0085b')).toEqual([1, 5, 2]);
  expect(ids(wide, 'a\uFEFF<x>b')).toEqual([0, 5, 2]);
});

it('Unigram writes the bytes of an unknown text where it has tokens for all of them', () => {
  const vocab = [
    ['<unk>', 0],
    ['▁a', -1],
    ['a', -2],
    ['<0xC3>', -9],
    ['<0xA9>', -9],
  ];
  const json = { ...parts, model: { type: 'Unigram', unk_id: 0, vocab, byte_fallback: true } };
  expect(ids(json, 'aéa')).toEqual([2, 3, 4, 2]);
  // ü is C3 BC
  expect(ids(json, 'aüa')).toEqual([2, 0, 2]);
});
