/** Tensors as stored in a file or beside it: type, shape and location of their bytes. */
import { isAbsolute, join } from '@emac/platform';
import { EmacError } from '@emac/core';
import { bfloat16ToFloat32, float16ToFloat32, withReader } from '@emac/files';
import type { DataType } from '@emac/graph';

/** Supported element types of TensorProto; all floating types are computed in float32. */
const elements = {
  1: { name: 'float', type: 'float32', bytes: 4 },
  6: { name: 'int32', type: 'int32', bytes: 4 },
  7: { name: 'int64', type: 'int64', bytes: 8 },
  9: { name: 'bool', type: 'bool', bytes: 1 },
  10: { name: 'float16', type: 'float32', bytes: 2 },
  11: { name: 'double', type: 'float32', bytes: 8 },
  16: { name: 'bfloat16', type: 'float32', bytes: 2 },
} as const satisfies Record<number, { name: string; type: DataType; bytes: number }>;

const otherNames: Readonly<Record<number, string>> = {
  0: 'undefined',
  2: 'uint8',
  3: 'int8',
  4: 'uint16',
  5: 'int16',
  8: 'string',
  12: 'uint32',
  13: 'uint64',
  14: 'complex64',
  15: 'complex128',
};

export type Element = (typeof elements)[keyof typeof elements];

/** The element type of an ONNX code. Errors: `data`, naming the place. */
export function elementOf(code: number, place: string): Element {
  const element = (elements as Readonly<Record<number, Element | undefined>>)[code];
  if (element) return element;
  throw new EmacError(
    'data',
    `${place}: element types are ${Object.values(elements)
      .map(({ name }) => name)
      .join(', ')}, got ${otherNames[code] ?? `type ${code}`}; cast it before exporting`,
  );
}

/** Bytes of a file, used in place. */
export interface FilePlace {
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

export interface StoredTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly element: Element;
  /** little-endian, row by row; null if they lie in another file */
  readonly bytes: Uint8Array | null;
  /** their location on disk, if stored there unchanged */
  readonly place: FilePlace | null;
}

export const elementCount = (shape: readonly number[]): number =>
  shape.reduce((product, dimension) => product * dimension, 1);

/** The bytes, read from disk if need be. Errors: `missing`, `io`, `data`. */
function bytesOf({ bytes, place }: StoredTensor): Uint8Array<ArrayBuffer> {
  // the copy starts its own buffer, as typed arrays require
  return bytes ? new Uint8Array(bytes) : withReader(place!.file, ({ read }) => read(place!));
}

/** Floating values as float32 (exact except for double, which is rounded). */
export function floatValues(stored: StoredTensor): Float32Array {
  const { buffer } = bytesOf(stored);
  switch (stored.element.name) {
    case 'float16':
      return float16ToFloat32(new Uint16Array(buffer));
    case 'bfloat16':
      return bfloat16ToFloat32(new Uint16Array(buffer));
    case 'double':
      return Float32Array.from(new Float64Array(buffer));
    default:
      return new Float32Array(buffer);
  }
}

/** Values of an integer or bool tensor. */
export function integerValues(stored: StoredTensor): BigInt64Array | Int32Array {
  const bytes = bytesOf(stored);
  if (stored.element.name === 'int64') return new BigInt64Array(bytes.buffer);
  return stored.element.name === 'int32' ? new Int32Array(bytes.buffer) : Int32Array.from(bytes);
}

export interface ExternalEntry {
  readonly location: string | undefined;
  readonly offset: string | undefined;
  readonly length: string | undefined;
}

/**
 * The location of external data. It is relative to the network's folder and may not leave it: an exported network is
 * data from someone else, and must not read other files.
 */
export function externalPlace(
  entry: ExternalEntry,
  of: { readonly folder: string | null; readonly bytes: number; readonly place: string },
): FilePlace {
  const { folder, bytes, place } = of;
  const { location = '' } = entry;
  const fail = (rule: string) => new EmacError('data', `${place}: ${rule}`);
  const isOutside =
    isAbsolute(location) || location.startsWith('\\') || location.split(/[/\\]/).includes('..');
  if (isOutside || location === '' || /[\0\\:]/.test(location))
    throw fail(
      `external data must lie in the folder of the file, got ${JSON.stringify(location)}; export it again`,
    );
  if (folder === null)
    throw fail(`external data ${JSON.stringify(location)} needs a folder; import by path or name the folder`);
  const offset = count(entry.offset ?? '0');
  const length = count(entry.length ?? String(bytes));
  if (offset === null || length !== bytes)
    throw fail(
      `external data needs ${bytes} bytes from a place in the file, got offset ${entry.offset}, length ${entry.length}`,
    );
  const file = join(folder, location);
  const size = withReader(file, (reader) => reader.size);
  if (offset + length > size)
    throw fail(`external data ends at byte ${offset + length}, ${file} has ${size} bytes; it was cut short`);
  return { file, offset, length };
}

function count(text: string): number | null {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : null;
  return value;
}
