/** Files with a part that is not known, or that are damaged: a sentence each, and nothing is left behind. */
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { afterAll, describe, expect, it } from 'vitest';
import { exportGguf } from './export-gguf.ts';
import { openGguf, type GgufFile } from './file/gguf-file.ts';
import { importGguf } from './import-gguf.ts';
import { vocabularyOf } from './tokenizer/vocabulary.ts';

const source = new URL('../fixtures/qwen2.gguf', import.meta.url).pathname;
const bytes = readFileSync(source);
const folder = mkdtempSync(join(tmpdir(), 'gguf-bad-'));
const file = join(folder, 'model.gguf');
afterAll(() => rmSync(folder, { recursive: true }));

/** The error of importing these bytes. */
async function refused(content: Uint8Array): Promise<EmacError> {
  writeFileSync(file, content);
  const thrown: unknown = await importGguf({ file, out: join(folder, 'out') }).then(
    () => null,
    (error: unknown) => error,
  );
  expect(readdirSync(folder)).toEqual(['model.gguf']);
  expect(thrown).toBeInstanceOf(EmacError);
  return thrown as EmacError;
}

/** The file with one text replaced by another of the same length, or a word of 32 bits behind it changed. */
function edited(text: string, replacement: string | { readonly word: number }): Buffer {
  const copy = Buffer.from(bytes);
  const at = copy.indexOf(text);
  expect(at).toBeGreaterThan(0);
  if (typeof replacement === 'string') copy.write(replacement, at);
  else copy.writeUInt32LE(replacement.word, at + text.length);
  return copy;
}

describe('importing a GGUF file', () => {
  it('reports truncation of a file that was cut at any byte', async () => {
    const { tensors } = await openGguf(source);
    const start = Math.min(...[...tensors.values()].map(({ offset }) => offset));
    const places = [
      ...Array.from({ length: 40 }, (_, index) => 5 + Math.floor((index * start) / 40)),
      start,
      bytes.length - 33,
    ];
    for (const length of places) {
      const { code, message } = await refused(bytes.subarray(0, length));
      expect(code).toBe('data');
      expect(message).toMatch(/model\.gguf: (was cut short|its header cannot be read)/);
    }
  });

  it('rejects a file that is not GGUF', async () => {
    expect((await refused(Buffer.from('PK'))).message).toMatch(/model\.gguf: must begin with GGUF/);
  });

  it('names an architecture, a tensor type, a tokenizer and a pre-tokenizer that are not known', async () => {
    const unknown: [Uint8Array, RegExp][] = [
      [
        edited('qwen2', 'qwen9'),
        /general\.architecture must be one of llama, qwen2, qwen3, gemma3, got "qwen9"/,
      ],
      [edited('gpt2', 'gpt7'), /tokenizer\.ggml\.model must be gpt2 or llama, got gpt7/],
      [
        // behind the name of the key: its type and the length of the text
        edited(
          'tokenizer.ggml.pre\x08\0\0\0\x05\0\0\0\0\0\0\0qwen2',
          'tokenizer.ggml.pre\x08\0\0\0\x05\0\0\0\0\0\0\0vikin',
        ),
        /tokenizer\.ggml\.pre must be one of gpt-2, .*smollm, .*, got vikin; texts would be split wrongly/,
      ],
    ];
    for (const [content, message] of unknown) expect((await refused(content)).message).toMatch(message);
    const copy = Buffer.from(bytes);
    // name, number of sizes, two sizes, then the type: 10 is Q2_K
    copy.writeUInt32LE(10, copy.indexOf('blk.0.attn_q.weight') + 'blk.0.attn_q.weight'.length + 4 + 16);
    expect((await refused(copy)).message).toMatch(
      /tensor blk\.0\.attn_q\.weight: is of type Q2_K, must be one of F32, F16, /,
    );
  });

  it('refuses a token that is there twice, of which texts would get one id', async () => {
    // a text is its length in 64 bits and its bytes: the token " is made the one before it
    const token = (text: string) => `\x01\0\0\0\0\0\0\0${text}`;
    const { code, message } = await refused(
      edited(`${token('!')}${token('"')}`, `${token('!')}${token('!')}`),
    );
    expect([code, message]).toEqual([
      'data',
      `${file}: tokenizer.ggml.tokens must be different, "!" is there twice; use an intact file`,
    ]);
  });

  it('takes several empty tokens, which have names of their own', () => {
    const metadata = {
      'tokenizer.ggml.model': 'gpt2',
      'tokenizer.ggml.tokens': ['a', '', ''],
      'tokenizer.ggml.merges': [],
    };
    const { tokens } = vocabularyOf({ path: 'a.gguf', metadata } as unknown as GgufFile, 3);
    expect(tokens).toEqual(['a', '[EMPTY_1]', '[EMPTY_2]']);
  });

  it('refuses a tensor that the network has not, and one that is missing', async () => {
    expect((await refused(edited('blk.0.ffn_up.weight', 'blk.0.ffn_ex.weight'))).message).toMatch(
      /must hold a tensor blk\.0\.ffn_up\.weight, holds none/,
    );
    expect((await refused(edited('qwen2.block_count\x04\0\0\0', { word: 2 }))).message).toMatch(
      /must hold a tensor blk\.1\.attn_norm\.weight, holds none/,
    );
    expect((await refused(edited('qwen2.feed_forward_length\x04\0\0\0', { word: 96 }))).message).toMatch(
      /tensor blk\.0\.ffn_gate\.weight: must be \[96, 32\] by the metadata, got \[64, 32\]/,
    );
  });

  it('warns where no pre-tokenizer is named, and where one is, does not', async () => {
    writeFileSync(file, edited('tokenizer.ggml.pre', 'tokenizer.ggml.prx'));
    const { warnings } = await importGguf({ file, out: join(folder, 'guessed') });
    expect(warnings).toEqual([expect.stringMatching(/names no pre-tokenizer \(tokenizer\.ggml\.pre\)/)]);
    expect((await importGguf({ file: source, out: join(folder, 'named') })).warnings).toEqual([]);
    rmSync(join(folder, 'guessed'), { recursive: true });
    rmSync(join(folder, 'named'), { recursive: true });
  });

  it('reads names that llama.cpp maps onto one splitting in the same way', async () => {
    const splittingOf = async (name: string) => {
      const at = 'tokenizer.ggml.pre\x08\0\0\0\x05\0\0\0\0\0\0\0';
      writeFileSync(file, edited(`${at}qwen2`, `${at}${name}`));
      const out = join(folder, name);
      await importGguf({ file, out });
      const { pre_tokenizer, model } = JSON.parse(readFileSync(join(out, 'tokenizer.json'), 'utf8')) as {
        readonly pre_tokenizer: { readonly pretokenizers: readonly object[] };
        readonly model: { readonly ignore_merges: boolean };
      };
      rmSync(out, { recursive: true });
      return { pre_tokenizer, merges: model.ignore_merges };
    };
    // llama.cpp's table: gpt-2 and phi-2 one expression, a name of five letters for each
    expect(await splittingOf('phi-2')).toEqual(await splittingOf('gpt-2'));
  });

  it('refuses a folder that is there', async () => {
    writeFileSync(file, bytes);
    await expect(importGguf({ file, out: folder })).rejects.toThrow(/already exists; give another name/);
  });
});

describe('exporting a folder', () => {
  it('names a model, a pre-tokenizer and a scaling that GGUF has not, and leaves nothing behind', async () => {
    writeFileSync(file, bytes);
    const made = join(folder, 'made');
    await importGguf({ file, out: made });
    const changed = (name: string, change: (json: Record<string, unknown>) => object): RegExp | string => {
      const path = join(made, name);
      const before = readFileSync(path, 'utf8');
      writeFileSync(path, JSON.stringify(change(JSON.parse(before) as Record<string, unknown>)));
      try {
        exportGguf({ folder: made, out: join(folder, 'out.gguf') });
        return 'written';
      } catch (thrown) {
        return (thrown as Error).message;
      } finally {
        writeFileSync(path, before);
      }
    };
    expect(changed('config.json', (json) => ({ ...json, model_type: 'gemma3_text' }))).toMatch(
      /config\.json: model_type must be one of llama, mistral, qwen2, qwen3 to be written as GGUF, got "gemma3_text"/,
    );
    expect(
      changed('config.json', (json) => ({
        ...json,
        rope_scaling: { rope_type: 'longrope', factor: 2, original_max_position_embeddings: 9 },
      })),
    ).toMatch(/rope_scaling: rope_type must be default, linear, yarn or llama3, got "longrope"/);
    expect(
      changed('config.json', (json) => ({ ...json, layer_types: ['sliding_attention', 'full_attention'] })),
    ).toMatch(/layer_types must name full_attention alone \(llama\.cpp knows no window here\)/);
    expect(changed('tokenizer.json', (json) => ({ ...json, pre_tokenizer: { type: 'Whitespace' } }))).toMatch(
      /its pre-tokenizer must be one that llama\.cpp names .*, is {"type":"Whitespace"}/,
    );
    expect(changed('config.json', (json) => ({ ...json, intermediate_size: 65 }))).toMatch(
      /must hold model\.layers\.0\.mlp\.gate_proj\.weight of \[65, 32\] by its configuration, holds \[64, 32\]/,
    );
    expect(readdirSync(folder).sort()).toEqual(['made', 'model.gguf']);
  });
});
