import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, it } from 'vitest';

import { loadTokenizer } from './tokenizer.ts';

const folder = mkdtempSync(join(tmpdir(), 'tokenizer-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Bytes as tokens ('Ġ' is a space), one merge, and phrases without a merge. */
function tokenizerJson(change: object = {}) {
  const vocabulary = ['<pad>', '<bos>', '<eos>', ...'abcdefg1', 'Ġ', 'Ċ', '>', 'ab', 'ĠabĠ1', 'cd'];
  const special = (id: number, content: string) => ({ id, content, special: true, normalized: false });
  return {
    added_tokens: [special(0, '<pad>'), special(1, '<bos>'), special(2, '<eos>')],
    normalizer: null,
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Split', pattern: { Regex: ' ?ab 1| ?\\p{L}+|\\s+|>' }, behavior: 'Isolated', invert: false },
        { type: 'ByteLevel', add_prefix_space: false, use_regex: false },
      ],
    },
    post_processor: {
      type: 'TemplateProcessing',
      single: [{ SpecialToken: { id: '<bos>', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
      pair: [],
      special_tokens: { '<bos>': { id: '<bos>', ids: [1], tokens: ['<bos>'] } },
    },
    decoder: { type: 'ByteLevel' },
    model: {
      type: 'BPE',
      ignore_merges: true,
      vocab: Object.fromEntries(vocabulary.map((token, id) => [token, id])),
      merges: ['a b'],
    },
    ...change,
  };
}

function load(json: object, name = 'tokenizer.json') {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(json));
  return loadTokenizer(file);
}

describe('the tokenizer', () => {
  it('ignores a split at a text that the normalizer replaces, as in Gemma', () => {
    const cut = { type: 'Split', pattern: { String: ' ' }, behavior: 'MergedWithPrevious', invert: false };
    const replaced = { type: 'Replace', pattern: { String: ' ' }, content: 'Ġ' };
    const parts = { decoder: null, pre_tokenizer: cut };
    // a 3, Ġ 11, 'ab' 14: the merge of a and b is done behind the blank
    expect(load(tokenizerJson({ ...parts, normalizer: replaced })).encode('a ab')).toEqual([3, 11, 14]);
    expect(() => load(tokenizerJson(parts))).toThrow(/must be Isolated, .*got MergedWithPrevious/);
  });

  it('refuses a normalizer that makes a million characters of a few', () => {
    const doubling = (count: number) => ({
      type: 'Sequence',
      normalizers: Array.from({ length: count }, () => ({
        type: 'Replace',
        pattern: { String: 'a' },
        content: 'aa',
      })),
    });
    // 2³ times a; a 3, ab 14
    expect(load(tokenizerJson({ normalizer: doubling(3) })).encode('ab')).toEqual([...Array(7).fill(3), 14]);
    const endless = load(tokenizerJson({ normalizer: doubling(40) }));
    expect(() => endless.encode('ab')).toThrow(
      /its normalizer may make 1000040 characters of a text of 2, makes 1048577;/,
    );
  });

  const tokenizer = load(tokenizerJson());

  it('takes a whole piece of the vocabulary although no merges make it (ignore_merges)', () => {
    // ids in the order of the vocabulary: a…g are 3…9, '1' 10, Ġ 11, Ċ 12, > 13, ab 14, 'ĠabĠ1' 15, cd 16
    expect(tokenizer.encode(' ab 1')).toEqual([15]);
    expect(tokenizer.encode('cd')).toEqual([16]);
    expect(
      load({ ...tokenizerJson(), model: { ...tokenizerJson().model, ignore_merges: false } }).encode('cd'),
    ).toEqual([5, 6]);
  });

  it('splits by the pattern, then merges within pieces', () => {
    expect(tokenizer.encode('abc\n> ab 1')).toEqual([14, 5, 12, 13, 15]);
  });

  it('splits off every numeric character, as Digits of Hugging Face does', () => {
    // ² and ³ are the bytes C2 B2 and C2 B3; together they would be the last token
    const vocab = { 'Â²': 0, 'Â³': 1, 'Â²Â³': 2 };
    const digits = { type: 'Digits', individual_digits: true };
    const bytes = { type: 'ByteLevel', add_prefix_space: false, use_regex: true };
    const json = tokenizerJson({
      added_tokens: [],
      post_processor: null,
      pre_tokenizer: { type: 'Sequence', pretokenizers: [digits, bytes] },
      model: { type: 'BPE', ignore_merges: true, vocab, merges: [] },
    });
    expect(load(json, 'digits.json').encode('²³')).toEqual([0, 1]);
  });

  it('adds special tokens only on request, and drops them from decoded text unless requested', () => {
    expect(tokenizer.encode('ab', { special: true })).toEqual([1, 14]);
    expect(tokenizer.decode([1, 14, 2])).toBe('ab');
    expect(tokenizer.decode([1, 14, 2], { special: true })).toBe('<bos>ab<eos>');
  });

  it('recognises special tokens inside a text', () => {
    expect(tokenizer.encode('ab<eos>')).toEqual([14, 2]);
  });

  it('keeps spaces and punctuation as they are when decoding', () => {
    expect(tokenizer.decode([13, 15, 11, 13])).toBe('> ab 1 >');
    expect(tokenizer.decode([])).toBe('');
    expect(tokenizer.encode('')).toEqual([]);
  });

  // texts by tokenizers 0.22 in Python
  it.each([
    [[0xe4, 0xbd, 0x41], '\uFFFD\uFFFD\uFFFD'],
    [[0xe4, 0xbd], '\uFFFD\uFFFD'],
    [[0xe4, 0xbd, 0xa0, 0x41, 0xff], '\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD'],
    [[0xe4, 0xbd, 0xa0], '你'],
    [[0xef, 0xbb, 0xbf, 0x41], '\uFEFFA'],
  ])('decodes a run of byte tokens %j as Rust does', (bytes, text) => {
    const vocab = Object.fromEntries([
      ...Array.from({ length: 256 }, (_, byte) => [
        `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
        byte,
      ]),
      ['a', 256],
    ]) as Record<string, number>;
    const decoders = [{ type: 'ByteFallback' }, { type: 'Fuse' }];
    const json = tokenizerJson({
      added_tokens: [],
      pre_tokenizer: null,
      post_processor: null,
      decoder: { type: 'Sequence', decoders },
      model: { type: 'BPE', byte_fallback: true, unk_token: 'a', vocab, merges: [] },
    });
    const pieces = load(json, 'pieces.json');
    expect(pieces.decode(bytes)).toBe(text);
    expect(pieces.decode([256, ...bytes, 256])).toBe(`a${text}a`);
    expect(pieces.decode([256, 9999, 256])).toBe('aa');
    expect(pieces.decode([9999])).toBe('');
  });

  it('finds the special ids in the file itself', () => {
    expect([tokenizer.beginToken, tokenizer.endToken, tokenizer.padToken]).toEqual([1, 2, 0]);
    expect(tokenizer.tokenId('cd')).toBe(16);
    expect(tokenizer.tokenId('missing')).toBeNull();
  });

  it('prefers tokenizer_config.json', () => {
    writeFileSync(
      join(folder, 'tokenizer_config.json'),
      JSON.stringify({ bos_token: { content: '<eos>' }, pad_token: 'g' }),
    );
    const configured = load(tokenizerJson());
    rmSync(join(folder, 'tokenizer_config.json'));
    expect([configured.beginToken, configured.padToken]).toEqual([2, 9]);
  });

  it('rejects what the library would split wrongly', () => {
    const split = { type: 'Split', pattern: { String: ' ' }, behavior: 'MergedWithNext', invert: false };
    expect(() => load(tokenizerJson({ pre_tokenizer: split }))).toThrow(
      /got MergedWithNext, which would be split wrongly/,
    );
  });

  it('names the file that is not a tokenizer', () => {
    expect(() => load({ model: { type: 'Unheard' } }, 'broken.json')).toThrow(
      /broken\.json: is not a usable tokenizer/,
    );
  });
});
