/** What `tokenizer_config.json` changes; ids by transformers 4.57.1. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, expect, it } from 'vitest';

import { loadTokenizer, type TextTokenizer } from './tokenizer.ts';

const folder = mkdtempSync(join(tmpdir(), 'emac-overrides-'));
afterAll(() => rmSync(folder, { recursive: true }));

const words = (vocabulary: readonly string[]) => ({
  added_tokens: [],
  normalizer: null as object | null,
  pre_tokenizer: { type: 'WhitespaceSplit' } as object,
  post_processor: null,
  decoder: null,
  model: {
    type: 'WordLevel',
    unk_token: '?',
    vocab: Object.fromEntries(['?', ...vocabulary].map((word, id) => [word, id])),
  } as object,
});

function loaded(json: object, config: object): TextTokenizer {
  const file = join(folder, 'tokenizer.json');
  writeFileSync(file, JSON.stringify(json));
  writeFileSync(join(folder, 'tokenizer_config.json'), JSON.stringify(config));
  return loadTokenizer(file);
}

it('adds the tokens that it names beyond those of tokenizer.json, behind the vocabulary', () => {
  const added = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: false };
  const tokenizer = loaded(words(['a', 'b']), {
    added_tokens_decoder: { 9: { ...added, content: '<new>' }, 7: { ...added, content: 'a' } },
    additional_special_tokens: ['<extra>', { ...added, content: 'b' }],
    eos_token: '<end>',
    unk_token: '?',
  });
  // the numbers 9 and 7 do not count: a and b have their ids, others follow in order
  const ids = tokenizer.encode('<new>a<extra>b<end>');
  expect(ids).toEqual([3, 1, 5, 2, 4]);
  expect(tokenizer.decode(ids)).toBe('<new> a');
  expect(tokenizer.endToken).toBe(4);
});

it.each([
  [{ extra_special_tokens: { image_token: '<img>' } }, [1, 4, 0]],
  // as transformers 5 writes and reads them
  [{ extra_special_tokens: ['<img>'] }, [1, 4, 0]],
  [{ extra_special_tokens: { image_token: 'b' }, additional_special_tokens: ['<q>'] }, [0, 2, 4]],
])('adds the special tokens of %j behind the named ones', (config, ids) => {
  const tokenizer = loaded(words(['a', 'b']), { unk_token: '?', eos_token: '<end>', ...config });
  expect(tokenizer.encode('a<img>b<q>')).toEqual(ids);
  expect(tokenizer.decode(ids)).toBe(ids.includes(1) ? 'a' : '');
});

it.each([
  ['LlamaTokenizerFast', {}, [1, 5]],
  ['LlamaTokenizer', { add_bos_token: false }, [5]],
  ['LlamaTokenizerFast', { add_eos_token: true, bos_token: '<s>', eos_token: '</s>' }, [1, 5, 2]],
  ['GemmaTokenizerFast', { add_eos_token: true, bos_token: '<bos>', eos_token: '<eos>' }, [3, 5, 4]],
  // other classes leave the template to tokenizer.json
  ['PreTrainedTokenizerFast', { add_bos_token: true, bos_token: '<s>' }, [5]],
])('writes the template of %s with %j', (tokenizer_class, config, ids) => {
  const json = words(['<s>', '</s>', '<bos>', '<eos>', 'a']);
  expect(loaded(json, { tokenizer_class, ...config }).encode('a', { special: true })).toEqual(ids);
});

it.each([
  [{}, true, [0]],
  [{}, false, [0]],
  [{ add_prefix_space: true }, true, [1]],
  [{ add_prefix_space: true }, false, [1]],
  [{ add_prefix_space: null }, true, [1]],
  [{ add_prefix_space: null }, false, [0]],
])('%j over a ByteLevel with add_prefix_space %s', (config, add_prefix_space, ids) => {
  const json = {
    ...words([]),
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space, use_regex: true },
    model: { type: 'BPE', ignore_merges: true, vocab: { a: 0, Ġa: 1, Ġ: 2 }, merges: [] },
  };
  expect(loaded(json, { tokenizer_class: 'PreTrainedTokenizerFast', ...config }).encode('a')).toEqual(ids);
});

it.each([
  [{ do_lower_case: false }, 2],
  [{}, 3],
  [{ strip_accents: false }, 1],
])("BERT's class reads letters by %j", (config, id) => {
  const normalizer = {
    type: 'BertNormalizer',
    clean_text: true,
    handle_chinese_chars: true,
    strip_accents: null,
    lowercase: true,
  };
  const json = { ...words(['é', 'É', 'e']), normalizer };
  expect(loaded(json, { tokenizer_class: 'BertTokenizerFast', ...config }).encode('É')).toEqual([id]);
});

it('refuses by name what would need another tokenizer.json', () => {
  expect(() => loaded(words(['a']), { split_special_tokens: true })).toThrow(
    /tokenizer_config\.json: split_special_tokens must be false .*got true/,
  );
  const llama = { tokenizer_class: 'LlamaTokenizerFast', add_bos_token: false };
  expect(() => loaded(words(['a']), { ...llama, add_prefix_space: true })).toThrow(
    /tokenizer_config\.json: add_prefix_space must be false, as tokenizer\.json has it; .*got true/,
  );
  const prefixed = { ...words(['▁a']), normalizer: { type: 'Prepend', prepend: '▁' } };
  expect(loaded(prefixed, { ...llama, add_prefix_space: true }).encode('a')).toEqual([1]);
  expect(() => loaded(prefixed, { ...llama, add_prefix_space: false })).toThrow(/must be true/);
  expect(() => loaded(words(['a']), { ...llama, add_bos_token: true, bos_token: null })).toThrow(
    /add_bos_token must be false where bos_token is null, got true/,
  );
});
