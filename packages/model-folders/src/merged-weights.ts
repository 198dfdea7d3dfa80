/**
 * Writes a weight file with adapters added to their projections: W′ = W + s·B·A, summed in float64 and rounded once to the stored
 * type. Tensors are read one by one, in parts, so nothing large is ever in memory.
 */
import { writeSync } from 'node:fs';
import type { Adapter } from '@emac/backbone';
import {
  bfloat16ToFloat32,
  float16ToFloat32,
  openSafetensors,
  tensorBytes,
  withReader,
  type Dtype,
  type RangeReader,
  type TensorInfo,
} from '@emac/files';
import { storedFloats } from './stored-floats.ts';

/** Types for written weights. */
export const floatTypes = { float32: 'F32', float16: 'F16', bfloat16: 'BF16' } as const;

export type FloatType = keyof typeof floatTypes;

/** Tensors to replace or add to, by their names in the files. */
export interface Changes {
  /** B·A by the name of the weight [out, in] that it is added to */
  readonly added: ReadonlyMap<string, LowRank>;
  /** other values of the same shape */
  readonly replaced: ReadonlyMap<string, Float32Array>;
  /** type for all tensors of numbers; null: as stored */
  readonly dtype: FloatType | null;
}

export interface LowRank {
  /** [r, in] */
  readonly a: Float32Array;
  /** [out, r] */
  readonly b: Float32Array;
  readonly rank: number;
  readonly scale: number;
}

/** values of one part of a tensor */
const partValues = 1 << 22;

const isFloat = (dtype: Dtype): boolean => dtype === 'F32' || dtype === 'F16' || dtype === 'BF16';

/** Size in bytes of the file written by `writeMerged`. */
export function mergedBytes(path: string, { dtype }: Pick<Changes, 'dtype'>): number {
  const { tensors } = openSafetensors(path);
  return [...tensors.values()].reduce((sum, each) => sum + tensorBytes(typeOf(each, dtype), each.shape), 0);
}

/** Writes the file to an open descriptor. Errors: `data`, `io`. */
export function writeMerged(path: string, descriptor: number, changes: Changes): void {
  const { tensors, metadata } = openSafetensors(path);
  const entries = [...tensors.values()];
  write(descriptor, header(entries, metadata, changes.dtype));
  withReader(path, (reader) => {
    for (const tensor of entries) writeTensor(reader, { path, tensor, descriptor, changes });
  });
}

interface Writing {
  readonly path: string;
  readonly tensor: TensorInfo;
  readonly descriptor: number;
  readonly changes: Changes;
}

function writeTensor(reader: RangeReader, { path, tensor, descriptor, changes }: Writing): void {
  const { name, dtype, shape, offset, length } = tensor;
  const target = typeOf(tensor, changes.dtype);
  const replaced = changes.replaced.get(name);
  const place = `${path}, tensor ${name}`;
  if (replaced) return write(descriptor, storedFloats(replaced, target, place));
  const added = changes.added.get(name);
  const width = shape.at(-1) ?? 1;
  const size =
    length /
    Math.max(
      1,
      shape.reduce((product, each) => product * each, 1),
    );
  // whole rows, so that each part of B belongs to a part of W
  const step = Math.max(1, Math.floor(partValues / width)) * width * size;
  for (let done = 0; done < length; done += step) {
    const bytes = reader.read({ offset: offset + done, length: Math.min(step, length - done) });
    if (!added && target === dtype) write(descriptor, bytes);
    else {
      const values = floatsOf(bytes, dtype);
      if (added) addProduct(values, added, done / size / width);
      write(descriptor, storedFloats(values, target, place));
    }
  }
}

/** Rows of W from `firstRow` on, in place. */
function addProduct(values: Float32Array, { a, b, rank, scale }: LowRank, firstRow: number): void {
  const width = a.length / rank;
  const sum = new Float64Array(width);
  for (let row = 0; row < values.length / width; row++) {
    sum.fill(0);
    for (let each = 0; each < rank; each++) {
      const factor = scale * b[(firstRow + row) * rank + each]!;
      if (factor === 0) continue;
      const from = each * width;
      for (let column = 0; column < width; column++) sum[column]! += factor * a[from + column]!;
    }
    for (let column = 0; column < width; column++) values[row * width + column]! += sum[column]!;
  }
}

function floatsOf({ buffer }: Uint8Array<ArrayBuffer>, dtype: Dtype): Float32Array {
  if (dtype === 'F32') return new Float32Array(buffer);
  return dtype === 'F16'
    ? float16ToFloat32(new Uint16Array(buffer))
    : bfloat16ToFloat32(new Uint16Array(buffer));
}

function typeOf({ dtype }: TensorInfo, wanted: FloatType | null): Dtype {
  return wanted !== null && isFloat(dtype) ? floatTypes[wanted] : dtype;
}

function header(
  tensors: readonly TensorInfo[],
  metadata: Readonly<Record<string, string>>,
  wanted: FloatType | null,
): Uint8Array {
  const parts = [`"__metadata__":${JSON.stringify(metadata)}`];
  let begin = 0;
  for (const tensor of tensors) {
    const dtype = typeOf(tensor, wanted);
    const end = begin + tensorBytes(dtype, tensor.shape);
    parts.push(
      `${JSON.stringify(tensor.name)}:${JSON.stringify({ dtype, shape: tensor.shape, data_offsets: [begin, end] })}`,
    );
    begin = end;
  }
  const json = Buffer.from(`{${parts.join(',')}}`);
  const bytes = Buffer.alloc(8 + Math.ceil(json.length / 8) * 8, ' ');
  bytes.writeBigUInt64LE(BigInt(bytes.length - 8), 0);
  json.copy(bytes, 8);
  return bytes;
}

function write(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.byteLength;) done += writeSync(descriptor, bytes, done);
}

/** The terms added by an adapter, by the weights' names in a model's files (`nameInFiles`, by our names). */
export function addedWeights(
  { parameters, settings: { rank } }: Adapter,
  {
    nameInFiles,
    scale,
  }: { readonly nameInFiles: ReadonlyMap<string | null, string>; readonly scale: number },
): Map<string, LowRank> {
  const added = new Map<string, LowRank>();
  for (const [name, { data: a }] of parameters) {
    if (!name.endsWith('.lora_A.weight')) continue;
    const { data: b } = parameters.get(name.replace(/A\.weight$/, 'B.weight'))!;
    added.set(nameInFiles.get(name.replace(/lora_A\.weight$/, 'weight'))!, { a, b, rank, scale });
  }
  return added;
}
