/**
 * A model folder as a GGUF file that llama.cpp and Ollama run: matrices in F16 or Q8_0, vectors in F32, as convert_hf_to_gguf.py stores
 * them; a matrix whose rows are no whole blocks of Q8_0 is F16.
 */
import { basename, join, resolve } from 'node:path';
import { EmacError } from '@emac/core';
import {
  bfloat16ToFloat32,
  float16ToFloat32,
  isThere,
  tensorBytes,
  withReader,
  type Dtype,
} from '@emac/files';
import { openWeightFiles, readJsonObject, type StoredTensor, type TensorTable } from '@emac/backbone';

import { quantize, type StoredType } from './blocks/quantize.ts';
import { tensorTypes, valuesIn } from './blocks/tensor-types.ts';
import { writeGguf, type TensorOut } from './file/write-gguf.ts';
import { tangled } from './network/head-rows.ts';
import { networkMetadata, networkOfConfig } from './network/network-of-config.ts';
import type { Network } from './network/network.ts';
import { llama3Factors } from './network/rotary-scaling.ts';
import { namedTensors, rotaryFactors, type NamedTensor } from './network/tensor-names.ts';
import { tokenizerMetadata } from './tokenizer/vocabulary-of-folder.ts';

export interface GgufExport {
  /** a model folder as Hugging Face has it */
  readonly folder: string;
  /** the file that is made */
  readonly out: string;
  /** of matrices; default F16 */
  readonly type?: 'F16' | 'Q8_0';
  /** `general.name`; default: the folder's */
  readonly name?: string;
}

export interface ExportedGguf {
  readonly file: string;
  readonly architecture: string;
  readonly parameters: number;
  readonly bytes: number;
}

/** values of one part of a tensor */
const partValues = 1 << 20;

/**
 * Writes the file; it appears complete or not at all. Errors: `cannot-create` where `out` is there; `missing`; `config` and `data` for a
 * model or a tokenizer that cannot be written so; `io`.
 */
export function exportGguf({
  folder,
  out,
  type = 'F16',
  name = basename(resolve(folder)),
}: GgufExport): ExportedGguf {
  if (isThere(out)) throw new EmacError('cannot-create', `${out}: already exists; give another name`);
  const { network, table, tokenizer } = read(folder);
  const named = namedTensors(network);
  const metadata = new Map([...networkMetadata(network, { name, type }), ...tokenizer]);
  const tensors = [...factors(network), ...named.map((tensor) => tensorOut(tensor, { folder, table, type }))];
  writeGguf(out, metadata, tensors);
  return {
    file: out,
    architecture: network.architecture,
    parameters: named.reduce((sum, { shape }) => sum + valuesIn(shape), 0),
    bytes: withReader(out, ({ size }) => size),
  };
}

/** Checks everything but the weights of a folder that is to be exported. Errors: those of `exportGguf`. */
export function checkGgufExport(folder: string): void {
  read(folder);
}

function read(folder: string) {
  const place = join(folder, 'config.json');
  const config = readJsonObject(place);
  const table = openWeightFiles(folder);
  const network = networkOfConfig(config, place, table);
  return { network, table, tokenizer: tokenizerMetadata(folder, network.vocabulary) };
}

/** Llama 3's scaling of positions is a tensor in GGUF. */
function factors({ scaling, ropeTheta: theta, headSize }: Network): TensorOut[] {
  if (scaling?.type !== 'llama3') return [];
  const values = llama3Factors(scaling, { theta, headSize });
  const bytes = new Uint8Array(values.buffer);
  return [{ name: rotaryFactors, type: 'F32', shape: [values.length], parts: () => [bytes] }];
}

interface Source {
  readonly folder: string;
  readonly table: TensorTable;
  readonly type: 'F16' | 'Q8_0';
}

function tensorOut(tensor: NamedTensor, { folder, table, type }: Source): TensorOut {
  const stored = table.get(tensor.folder);
  if (stored?.shape.join() !== tensor.shape.join())
    throw new EmacError(
      'data',
      `${folder}: must hold ${tensor.folder} of [${tensor.shape.join(', ')}] by its configuration, ${stored ? `holds [${stored.shape.join(', ')}]` : 'holds none'}; configuration and weights do not belong together`,
    );
  const target = storedType(tensor, type);
  return {
    name: tensor.gguf,
    type: target,
    shape: tensor.shape,
    parts: function* () {
      for (const values of valuesOf(stored, tensor))
        yield quantize(target, values, `${folder}, ${tensor.folder}`);
    },
  };
}

function storedType({ shape }: NamedTensor, wanted: 'F16' | 'Q8_0'): StoredType {
  if (shape.length === 1) return 'F32';
  return wanted === 'Q8_0' && shape.at(-1)! % tensorTypes.Q8_0.values !== 0 ? 'F16' : wanted;
}

/** A tensor's values in GGUF's order, whole rows or heads at a time. */
function* valuesOf(stored: StoredTensor, { shape, heads }: NamedTensor): Generator<Float32Array> {
  const { dtype } = stored;
  const width = shape.length > 1 ? shape.at(-1)! : 1;
  const all = valuesIn(shape);
  const size = tensorBytes(dtype, shape) / all;
  const head = heads === null ? null : all / heads;
  const step = head ?? Math.max(1, Math.floor(partValues / width)) * width;
  for (let done = 0; done < all; done += step) {
    const range = { offset: done * size, length: Math.min(step, all - done) * size };
    const values = floatsOf(bytesOf(stored, range), dtype, stored.name);
    yield head === null ? values : tangled(values, width);
  }
}

/** Bytes of a tensor, counted from its first. */
function bytesOf(
  stored: StoredTensor,
  { offset, length }: { offset: number; length: number },
): Uint8Array<ArrayBuffer> {
  if ('bytes' in stored) return stored.bytes.slice(offset, offset + length);
  return withReader(stored.path, ({ read }) => read({ offset: stored.offset + offset, length }));
}

function floatsOf({ buffer }: Uint8Array<ArrayBuffer>, dtype: Dtype, name: string): Float32Array {
  if (dtype === 'F32') return new Float32Array(buffer);
  if (dtype === 'F16') return float16ToFloat32(new Uint16Array(buffer));
  if (dtype === 'BF16') return bfloat16ToFloat32(new Uint16Array(buffer));
  throw new EmacError('data', `${name}: must be F32, F16 or BF16, got ${dtype}`);
}
