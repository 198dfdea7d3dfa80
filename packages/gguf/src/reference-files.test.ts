/**
 * Files of every family written by the `gguf` package (`tools/reference/write_gguf.py`): tensors, sizes and token ids of the folder, and
 * the way back. transformers read the same tensors when the files were made.
 */
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadTokenizer } from '@emac/backbone';
import { openSafetensors, readFloat32, withReader } from '@emac/files';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportGguf } from './export-gguf.ts';
import { openGguf } from './file/gguf-file.ts';
import { importGguf } from './import-gguf.ts';

interface Reference {
  readonly config: Readonly<Record<string, unknown>>;
  readonly tensors: Readonly<Record<string, string>>;
  readonly texts: readonly string[];
  readonly ids: readonly (readonly number[])[];
  readonly template: string;
}

const place = (name: string) => new URL(`../fixtures/${name}`, import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'gguf-'));
afterAll(() => rmSync(folder, { recursive: true }));

const json = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;

describe.each(['llama', 'llama3', 'qwen2', 'qwen3', 'mistral', 'gemma3'])('a GGUF file of %s', (name) => {
  const file = place(`${name}.gguf`);
  const reference = json(`${file}.json`) as unknown as Reference;
  const out = join(folder, name);

  beforeAll(async () => {
    await importGguf({ file, out });
  });

  it('becomes a folder with every tensor as the gguf package dequantizes it', () => {
    const stored = openSafetensors(join(out, 'model.safetensors'));
    const hash = (values: Float32Array) =>
      createHash('sha256')
        .update(new Uint8Array(values.buffer, values.byteOffset, values.byteLength))
        .digest('hex');
    const found = [...stored.tensors.keys()].map((each) => [each, hash(readFloat32(stored, each))]);
    expect(Object.fromEntries(found)).toEqual(reference.tensors);
  });

  it('has the configuration that it was made from', () => {
    const config = json(join(out, 'config.json'));
    for (const [key, value] of Object.entries(reference.config))
      expect(config[key] ?? null, key).toEqual(value);
  });

  it('has a tokenizer with the ids of tokenizers or SentencePiece', () => {
    const tokenizer = loadTokenizer(join(out, 'tokenizer.json'));
    expect(reference.texts.map((text) => tokenizer.encode(text))).toEqual(reference.ids);
    expect(json(join(out, 'tokenizer_config.json'))['chat_template']).toBe(reference.template);
    const { endToken } = tokenizer;
    expect(json(join(out, 'generation_config.json'))['eos_token_id']).toBe(endToken);
  });

  it.runIf(name !== 'gemma3')('is written again with the same metadata', async () => {
    const again = join(folder, `${name}.gguf`);
    exportGguf({ folder: out, out: again, name: 'small' });
    const [before, after] = [await openGguf(file), await openGguf(again)];
    // 1: most tensors are F16; SentencePiece's scores keep their order alone
    const own = { 'general.file_type': 1, 'general.quantization_version': 2, 'general.type': 'model' };
    const kept = ({ metadata }: typeof before) =>
      Object.fromEntries(
        Object.entries(metadata).filter(
          ([key]) => !/^(version|kv_count|tokenizer\.ggml\.scores)$/.test(key) && !(key in own),
        ),
      );
    expect(kept(after)).toMatchObject(kept(before));
    expect(after.metadata).toMatchObject(own);
    expect([...after.tensors.keys()].sort()).toEqual([...before.tensors.keys()].sort());
  });
});

describe.each([
  ['llama3', 'F16'],
  ['qwen2', 'Q8_0'],
] as const)('a file of %s stored as %s', (name, type) => {
  it('is written again with the same bytes in every tensor', async () => {
    const again = join(folder, `${name}-${type}.gguf`);
    exportGguf({ folder: join(folder, name), out: again, type });
    const bytes = async (path: string) => {
      const { tensors } = await openGguf(path);
      const found = withReader(path, ({ read }) =>
        [...tensors.values()].map((each): [string, unknown] => [
          each.name,
          [each.type, each.shape, read(each)],
        ]),
      );
      return Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)));
    };
    const [before, after] = [await bytes(place(`${name}.gguf`)), await bytes(again)];
    expect(Object.keys(after)).toEqual(Object.keys(before));
    for (const tensor of Object.keys(before))
      // factors are computed here in double precision, there in single
      if (tensor !== 'rope_freqs.weight') expect(after[tensor], tensor).toEqual(before[tensor]);
  });
});

it.each(['llama3', 'qwen2', 'qwen3'])(
  "a chat template's marks stay one id each through import and export (%s)",
  async (name) => {
    const [file, out] = [join(folder, `${name}-marks.gguf`), join(folder, `${name}-marks`)];
    exportGguf({ folder: join(folder, name), out: file });
    await importGguf({ file, out });
    const idsIn = (place: string) => {
      const { encode } = loadTokenizer(join(place, 'tokenizer.json'));
      return ['<|user|>', '<|end|>'].map((mark) => encode(mark));
    };
    const [before, after] = [idsIn(join(folder, name)), idsIn(out)];
    expect(before.map(({ length }) => length)).toEqual([1, 1]);
    expect(after).toEqual(before);
  },
);

describe('the order of merges', () => {
  it('survives a file of SentencePiece: the folder made from it merges as the first', async () => {
    const second = join(folder, 'second');
    exportGguf({ folder: join(folder, 'mistral'), out: join(folder, 'second.gguf') });
    await importGguf({ file: join(folder, 'second.gguf'), out: second });
    expect(json(join(second, 'tokenizer.json'))).toEqual(json(join(folder, 'mistral', 'tokenizer.json')));
  });
});

describe('a folder of SentencePiece', () => {
  const first = join(folder, 'first');
  const written = (changed: object, config: object = {}) => {
    rmSync(first, { recursive: true, force: true });
    cpSync(join(folder, 'mistral'), first, { recursive: true });
    for (const [name, change] of [
      ['tokenizer.json', changed],
      ['tokenizer_config.json', config],
    ] as const)
      writeFileSync(join(first, name), JSON.stringify({ ...json(join(first, name)), ...change }));
    const file = join(folder, 'first.gguf');
    rmSync(file, { force: true });
    exportGguf({ folder: first, out: file });
    return file;
  };

  it('keeps a space that stands before the first piece alone', async () => {
    const pre_tokenizer = { type: 'Metaspace', replacement: '▁', prepend_scheme: 'first', split: false };
    const file = written({ normalizer: null, pre_tokenizer });
    const back = join(folder, 'first-again');
    await importGguf({ file, out: back });
    expect(json(join(back, 'tokenizer.json'))).toEqual(json(join(first, 'tokenizer.json')));
    const ids = ['a b', '<s>a</s> b'].map((text) =>
      [first, back].map((each) => loadTokenizer(join(each, 'tokenizer.json')).encode(text)),
    );
    for (const [before, after] of ids) expect(after).toEqual(before);
  });

  it('is written with the begin token that tokenizer_config.json asks for', async () => {
    const of = async (config: object) =>
      (await openGguf(written({}, config))).metadata['tokenizer.ggml.add_bos_token'];
    expect(await of({ tokenizer_class: 'LlamaTokenizerFast', add_bos_token: false })).toBe(false);
    expect(await of({ tokenizer_class: 'LlamaTokenizerFast' })).toBe(true);
  });
});
