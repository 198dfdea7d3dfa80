/**
 * A GGUF file as a model folder in Hugging Face's layout. Weights go into one file of safetensors, dequantized a part at a time.
 * Configuration, tokenizer and chat template come from the file's own metadata.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EmacError } from '@emac/core';
import {
  createFolder,
  discard,
  isThere,
  requireSpace,
  syncFolder,
  temporaryBeside,
  tensorBytes,
  whileWriting,
  withReader,
  writeFileAtomic,
  type RangeReader,
} from '@emac/files';

import { dequantize } from './blocks/dequantize.ts';
import { quantize } from './blocks/quantize.ts';
import { blockBytes, valuesIn } from './blocks/tensor-types.ts';
import { openGguf, type GgufFile } from './file/gguf-file.ts';
import { untangled } from './network/head-rows.ts';
import { configOf, networkOfGguf } from './network/network-of-gguf.ts';
import { namedTensors, type NamedTensor } from './network/tensor-names.ts';
import { generationConfig, tokenizerConfig, tokenizerJson } from './tokenizer/tokenizer-files.ts';
import { vocabularyOf } from './tokenizer/vocabulary.ts';

export interface GgufImport {
  readonly file: string;
  /** the folder that is made */
  readonly out: string;
  /** of the weights: F32 holds every value exactly, F16 rounds; default F32 */
  readonly type?: 'F32' | 'F16';
}

export interface ImportedGguf {
  readonly folder: string;
  /** `model_type` of its `config.json` */
  readonly model: string;
  readonly parameters: number;
  /** how many tensors the file stores in each type */
  readonly types: Readonly<Record<string, number>>;
  /** a sentence for each thing that may be wrong */
  readonly warnings: readonly string[];
}

/** values of one part of a tensor */
const partValues = 1 << 20;

/**
 * Writes the folder; it appears complete or not at all. Errors: `cannot-create` where `out` is there; `missing`; `data` and `config` for a
 * damaged file or one with a part that is not known; `io`.
 */
export async function importGguf({ file: path, out, type = 'F32' }: GgufImport): Promise<ImportedGguf> {
  if (isThere(out)) throw new EmacError('cannot-create', `${out}: already exists; give another name`);
  const file = await openGguf(path);
  const network = networkOfGguf(file);
  const config = configOf(network, path);
  const vocabulary = vocabularyOf(file, network.vocabulary);
  const ids = generationConfig(vocabulary);
  const texts = new Map<string, unknown>([
    ['config.json', { ...config, ...ids, torch_dtype: type === 'F32' ? 'float32' : 'float16' }],
    ['generation_config.json', ids],
    ['tokenizer.json', tokenizerJson(vocabulary, path)],
    ['tokenizer_config.json', tokenizerConfig(vocabulary, network.positions)],
  ]);
  const tensors = namedTensors(network).sort((a, b) => (a.folder < b.folder ? -1 : 1));
  createFolder(dirname(out));
  requireSpace(
    dirname(out),
    tensors.reduce((sum, { shape }) => sum + tensorBytes(type, shape), 0),
  );
  writeFolder(out, (temporary) => {
    for (const [name, value] of texts)
      writeFileAtomic(
        join(temporary, name),
        `${JSON.stringify(value, null, name === 'tokenizer.json' ? 1 : 2)}\n`,
      );
    writeWeights(join(temporary, 'model.safetensors'), { file, tensors, type });
  });
  const isGuessed = vocabulary.kind === 'gpt2' && !vocabulary.isPreNamed;
  const types = [...file.tensors.values()].map((each) => each.type);
  return {
    folder: out,
    model: String(config['model_type']),
    parameters: tensors.reduce((sum, { shape }) => sum + valuesIn(shape), 0),
    warnings: isGuessed ? [unnamedSplitting(path)] : [],
    types: Object.fromEntries(
      [...new Set(types)].sort().map((each) => [each, types.filter((one) => one === each).length]),
    ),
  };
}

/** llama.cpp warns too, and uses the same default. */
function unnamedSplitting(path: string): string {
  return `${path}: names no pre-tokenizer (tokenizer.ggml.pre), so texts are split by llama.cpp's default, and numbers and words of most families wrongly; convert the model again with a llama.cpp of May 2024 or later, or copy tokenizer.json from the published model`;
}

function writeFolder(out: string, fill: (temporary: string) => void): void {
  const temporary = temporaryBeside(out);
  whileWriting(out, () => {
    try {
      mkdirSync(temporary);
      fill(temporary);
      syncFolder(temporary);
      renameSync(temporary, out);
    } catch (thrown) {
      discard(temporary);
      throw thrown;
    }
    syncFolder(dirname(out));
  });
}

interface Weights {
  readonly file: GgufFile;
  readonly tensors: readonly NamedTensor[];
  readonly type: 'F32' | 'F16';
}

function writeWeights(path: string, { file, tensors, type }: Weights): void {
  const descriptor = openSync(path, 'wx');
  try {
    write(descriptor, header(tensors, type));
    withReader(file.path, (reader) => {
      for (const tensor of tensors)
        for (const values of valuesOf(reader, file, tensor))
          write(descriptor, quantize(type, values, `${file.path}, tensor ${tensor.gguf}`));
    });
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** A tensor's values from first to last, whole rows or heads at a time. */
function* valuesOf(
  reader: RangeReader,
  { tensors }: GgufFile,
  { gguf, shape, heads, shift = 0 }: NamedTensor,
): Generator<Float32Array> {
  const { type, offset } = tensors.get(gguf)!;
  const width = shape.length > 1 ? shape.at(-1)! : 1;
  const all = valuesIn(shape);
  const head = heads === null ? null : all / heads;
  // one number a row: rows of a bias lie inside blocks, so that it is read whole
  const step = shape.length === 1 ? all : (head ?? Math.max(1, Math.floor(partValues / width)) * width);
  for (let done = 0; done < all; done += step) {
    const count = Math.min(step, all - done);
    const bytes = reader.read({ offset: offset + blockBytes(type, done), length: blockBytes(type, count) });
    const values = dequantize(type, bytes);
    if (head === null) yield shift === 0 ? values : values.map((value) => value - shift);
    else for (let at = 0; at < count; at += head) yield untangled(values.subarray(at, at + head), width);
  }
}

function header(tensors: readonly NamedTensor[], type: 'F32' | 'F16'): Buffer {
  let begin = 0;
  const parts = tensors.map(({ folder, shape }) => {
    const end = begin + tensorBytes(type, shape);
    const entry = `${JSON.stringify(folder)}:${JSON.stringify({ dtype: type, shape, data_offsets: [begin, end] })}`;
    begin = end;
    return entry;
  });
  const json = Buffer.from(`{"__metadata__":{"format":"pt"},${parts.join(',')}}`);
  const bytes = Buffer.alloc(8 + Math.ceil(json.length / 8) * 8, ' ');
  bytes.writeBigUInt64LE(BigInt(bytes.length - 8), 0);
  json.copy(bytes, 8);
  return bytes;
}

function write(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.byteLength;) done += writeSync(descriptor, bytes, done);
}
