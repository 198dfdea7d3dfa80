/** Tensors of a model by name, wherever they are: nearly all lie in files, a few small ones are put together. */
import { bfloat16ToFloat32, float16ToFloat32, readFloat32, type Dtype, type TensorInfo } from '@emac/files';
import { EmacError } from '@emac/core';

/** A tensor's name, type and shape, and its bytes in a file: little-endian, row by row. */
export interface TensorPlace extends TensorInfo {
  readonly path: string;
}

/** A small tensor put together from the contents of `path`. */
export interface HeldTensor {
  readonly name: string;
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export type StoredTensor = TensorPlace | HeldTensor;

export type TensorTable = ReadonlyMap<string, StoredTensor>;

export function isHeld(tensor: StoredTensor): tensor is HeldTensor {
  return 'bytes' in tensor;
}

/** Values as float32, flat, row by row. Errors: `data` for types other than F32, F16 and BF16. */
export function valuesOf(tensor: StoredTensor): Float32Array<ArrayBuffer> {
  const { name, path, dtype } = tensor;
  if (!isHeld(tensor)) return readFloat32({ path, metadata: {}, tensors: new Map([[name, tensor]]) }, name);
  const { buffer } = tensor.bytes;
  if (dtype === 'F32') return new Float32Array(buffer.slice(0));
  if (dtype === 'F16') return float16ToFloat32(new Uint16Array(buffer));
  if (dtype === 'BF16') return bfloat16ToFloat32(new Uint16Array(buffer));
  throw new EmacError('data', `${path}, tensor ${name}: needs F32, F16 or BF16, is ${dtype}`);
}

/** Merges tables; a name in two of them is `data`, naming both files. */
export function mergedTables(tables: readonly TensorTable[]): TensorTable {
  const merged = new Map<string, StoredTensor>();
  for (const table of tables)
    for (const [name, tensor] of table) {
      const known = merged.get(name);
      if (known)
        throw new EmacError(
          'data',
          `${tensor.path}: holds ${name}, which ${known.path} holds too; remove one of the two`,
        );
      merged.set(name, tensor);
    }
  return merged;
}

/** The same tensors under other names. Errors: `data` if two get the same name. */
export function renamed(table: TensorTable, rename: (name: string) => string | null): TensorTable {
  return mergedTables(
    [...table.values()].flatMap((tensor) => {
      const name = rename(tensor.name);
      return name === null ? [] : [new Map([[name, { ...tensor, name }]])];
    }),
  );
}
