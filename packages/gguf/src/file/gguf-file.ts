/**
 * A GGUF file opened without reading its weights: metadata and the place of every tensor. `@huggingface/gguf` parses the header.
 * It reads zeros behind the end of a file, so the header's end is checked against the file's size here.
 */
import { statSync } from 'node:fs';
import { EmacError, messageOf } from '@emac/core';
import { whileReading, withReader } from '@emac/files';
import { GGMLQuantizationType, gguf } from '@huggingface/gguf';

import { blockBytes, tensorTypeOf, tensorTypes, valuesIn, type TensorType } from '../blocks/tensor-types.ts';

export interface GgufTensor {
  readonly name: string;
  readonly type: TensorType;
  /** row by row, as in a model folder; the file has the sizes the other way round */
  readonly shape: readonly number[];
  /** bytes from the start of the file */
  readonly offset: number;
  readonly length: number;
}

export interface GgufFile {
  readonly path: string;
  /** 64-bit numbers are plain numbers */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tensors: ReadonlyMap<string, GgufTensor>;
}

type Parsed = Awaited<ReturnType<typeof gguf>>;

/** Opens a local file. Errors: `missing`; `data` for one that is cut short, damaged, one part of several, or has a tensor of an unknown type. */
export async function openGguf(path: string): Promise<GgufFile> {
  const { size } = whileReading(path, () => statSync(path));
  checkBeginning(path, size);
  const parsed = await parse(path);
  const headerEnd = parsed.tensorInfoByteRange[1];
  if (headerEnd > size) throw cutShort(path, `its header needs ${headerEnd} bytes, the file has ${size}`);
  if (!parsed.littleEndian)
    throw new EmacError('data', `${path}: is big-endian, must be little-endian; convert the model again`);
  const metadata = plain({ ...parsed.metadata });
  const parts = Number(metadata['split.count'] ?? 1);
  if (parts > 1)
    throw new EmacError(
      'data',
      `${path}: is one of ${parts} parts, must be one file; join them with llama-gguf-split --merge`,
    );
  const alignment = Number(metadata['general.alignment'] ?? 32);
  if (2 ** Math.round(Math.log2(alignment)) !== alignment)
    throw new EmacError('data', `${path}: general.alignment must be a power of two, got ${alignment}`);
  const tensors = parsed.tensorInfos.map((info) => placed(info, { path, parsed, alignment }));
  const last = tensors.find(({ offset, length }) => offset + length > size);
  if (last)
    throw cutShort(
      path,
      `tensor ${last.name} ends at byte ${last.offset + last.length}, the file has ${size}`,
    );
  const byName = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  if (byName.size !== tensors.length)
    throw new EmacError(
      'data',
      `${path}: must hold every tensor once, holds a name twice; use an intact file`,
    );
  return { path, metadata, tensors: byName };
}

function checkBeginning(path: string, size: number): void {
  const length = Math.min(4, size);
  const bytes = withReader(path, ({ read }) => read({ offset: 0, length }));
  if (Buffer.from(bytes).toString('latin1') !== 'GGUF')
    throw new EmacError('data', `${path}: must begin with GGUF; give a GGUF file`);
}

async function parse(path: string): Promise<Parsed> {
  try {
    return await gguf(path, { allowLocalFile: true });
  } catch (thrown) {
    throw new EmacError(
      'data',
      `${path}: its header cannot be read (${messageOf(thrown)}); use an intact GGUF file`,
    );
  }
}

interface Placing {
  readonly path: string;
  readonly parsed: Parsed;
  readonly alignment: number;
}

function placed(
  { name, shape, dtype, offset }: Parsed['tensorInfos'][number],
  { path, parsed, alignment }: Placing,
): GgufTensor {
  const type = tensorTypeOf(dtype);
  if (!type)
    throw new EmacError(
      'data',
      `${path}, tensor ${name}: is of type ${GGMLQuantizationType[dtype] ?? dtype}, must be one of ${Object.keys(tensorTypes).join(', ')}; take another quantization of the model`,
    );
  const sizes = shape.map(Number).reverse();
  const width = sizes.at(-1) ?? 1;
  if (width % tensorTypes[type].values !== 0 || Number(offset) % alignment !== 0)
    throw new EmacError(
      'data',
      `${path}, tensor ${name}: rows of ${width} values at byte ${offset} cannot be ${type}; use an intact file`,
    );
  return {
    name,
    type,
    shape: sizes,
    offset: Number(parsed.tensorDataOffset + offset),
    length: blockBytes(type, valuesIn(sizes)),
  };
}

function plain(metadata: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const number = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(number);
    return typeof value === 'bigint' ? Number(value) : value;
  };
  return Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, number(value)]));
}

function cutShort(path: string, what: string): EmacError {
  return new EmacError('data', `${path}: was cut short: ${what}; copy or download it again`);
}
