/** Numbers of every type as stored in examples: 64-bit integers, 32-bit floats, or the raw bytes of an array. */
import { EmacError } from '@emac/core';
import type { ExampleFeature } from '../records/example.ts';
import type { NumberDtype, TensorData } from './feature.ts';

export type NumberData = Exclude<TensorData, readonly string[]>;

/** The numbers one by one; 64-bit integers as `bigint`. */
export function eachNumber(data: NumberData): (number | bigint)[] {
  return Array.from(data as ArrayLike<number | bigint>);
}

const arrays = {
  bool: Uint8Array,
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  float32: Float32Array,
  float64: Float64Array,
} as const;

/** An example's list as numbers of a type. Errors: `data` for another list, and for a number outside the type. */
export function numbersOf(feature: ExampleFeature, dtype: NumberDtype, place: string): NumberData {
  if (feature.kind === 'empty') return new arrays[dtype](0);
  const expected = dtype === 'float32' || dtype === 'float64' ? 'float' : 'int64';
  if (feature.kind !== expected)
    throw new EmacError(
      'data',
      `${place}: must be a list of ${expected} for ${dtype}, it is one of ${feature.kind}; features.json is of another dataset`,
    );
  if (feature.kind === 'float')
    return dtype === 'float64' ? Float64Array.from(feature.values) : feature.values;
  if (feature.kind === 'int64') return integersOf(feature.values, dtype, place);
  throw new EmacError('internal', `${place}: no numbers`);
}

/** In halves: integers of up to 32 bits never become a `bigint`. */
function integersOf(values: BigInt64Array, dtype: NumberDtype, place: string): NumberData {
  if (dtype === 'int64') return values;
  if (dtype === 'uint64') return new BigUint64Array(values.buffer, values.byteOffset, values.length);
  const halves = new Int32Array(values.buffer, values.byteOffset, 2 * values.length);
  const numbers = new arrays[dtype](values.length) as Int32Array;
  const largest = dtype === 'bool' ? 1 : Infinity;
  for (let index = 0; index < numbers.length; index++) {
    const stated = halves[2 * index + 1]! * 2 ** 32 + (halves[2 * index]! >>> 0);
    numbers[index] = stated;
    if (numbers[index] !== stated || stated > largest)
      throw new EmacError(
        'data',
        `${place}: must be numbers of ${dtype}, one is ${values[index]}; features.json is of another dataset`,
      );
  }
  return numbers;
}

/** Numbers as an example's list; 64-bit floats become 32-bit ones, as in TensorFlow Datasets. Errors: `data`. */
export function listOf(data: NumberData, dtype: NumberDtype): ExampleFeature {
  if (data instanceof Float32Array || data instanceof Float64Array)
    return { kind: 'float', values: Float32Array.from(data) };
  if (data instanceof BigInt64Array) return { kind: 'int64', values: data };
  if (data instanceof BigUint64Array)
    return { kind: 'int64', values: new BigInt64Array(data.buffer, data.byteOffset, data.length) };
  if (dtype === 'float32' || dtype === 'float64')
    throw new EmacError('internal', `listOf: ${dtype} from integers`);
  return { kind: 'int64', values: BigInt64Array.from(data, BigInt) };
}

/** Raw little-endian bytes as numbers, copied. Errors: `data` if their count is not divisible. */
export function numbersOfBytes(bytes: Uint8Array, dtype: NumberDtype, place: string): NumberData {
  const { BYTES_PER_ELEMENT: size } = arrays[dtype];
  if (bytes.length % size !== 0)
    throw new EmacError(
      'data',
      `${place}: must be numbers of ${size} bytes, it has ${bytes.length} bytes; the file is damaged`,
    );
  return new arrays[dtype](Uint8Array.from(bytes).buffer);
}

/** True for the array type of a number type. */
export function isOfType(data: TensorData, dtype: NumberDtype): data is NumberData {
  return data instanceof arrays[dtype];
}

/** A typed array from one or several numbers. Errors: `data` for a number outside the type. */
export function arrayOf(
  values: readonly (number | bigint | boolean)[],
  dtype: NumberDtype,
  place: string,
): NumberData {
  if (dtype === 'int64' || dtype === 'uint64') {
    const array = dtype === 'int64' ? BigInt64Array.from(values, whole) : BigUint64Array.from(values, whole);
    values.forEach((value, index) => requireEqual(array[index]!, whole(value), { dtype, place }));
    return array;
  }
  const array = new arrays[dtype](values.length);
  values.forEach((value, index) => {
    array[index] = Number(value);
    if (dtype !== 'float32') requireEqual(array[index], Number(value), { dtype, place });
  });
  return array;

  function whole(value: number | bigint | boolean): bigint {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return BigInt(value);
    throw new EmacError('data', `${place}: must be numbers of ${dtype}, one is ${value}; give a bigint`);
  }
}

function requireEqual(
  stored: number | bigint,
  given: number | bigint,
  { dtype, place }: { readonly dtype: string; readonly place: string },
): void {
  if (Object.is(stored, given) || stored === given) return;
  throw new EmacError(
    'data',
    `${place}: must be numbers of ${dtype}, one is ${given}; choose a type that has it`,
  );
}
