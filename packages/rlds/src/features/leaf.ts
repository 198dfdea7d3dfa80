/** Converts an example's list into the values of a feature without parts: numbers, texts or pictures, in order. */
import { inflateSync } from 'node:zlib';
import { EmacError } from '@emac/core';
import type { ExampleFeature } from '../records/example.ts';
import type { Axis, Feature, NumberDtype, Tensor, TensorFeature, Value } from './feature.ts';
import { eachNumber, numbersOf, numbersOfBytes, type NumberData } from './numbers.ts';

/** A feature without parts. */
export type Leaf = Extract<Feature, { readonly kind: 'tensor' | 'image' | 'text' }>;

/** A list of an example; `place` names it in messages. */
export interface NamedList {
  readonly list: ExampleFeature;
  readonly place: string;
}

/** Byte strings, as views of the record. Errors: `data`. */
export function byteStrings({ list, place }: NamedList): readonly Uint8Array[] {
  if (list.kind === 'bytes' || list.kind === 'empty') return list.values;
  throw damaged(
    place,
    `must be a list of bytes, it is one of ${list.kind}; features.json is of another dataset`,
  );
}

/** Texts. Errors: `data`. */
export function texts(named: NamedList): readonly string[] {
  return byteStrings(named).map((bytes) => {
    try {
      return utf8.decode(bytes);
    } catch (cause) {
      throw damaged(named.place, 'must be UTF-8; write other bytes as an encoded tensor', {
        cause,
      });
    }
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Tensors, or single values if the shape is empty. With `isOne` there is one tensor, so its free axis follows from the
 * list's length. Errors: `data`.
 */
export function tensors(feature: TensorFeature, named: NamedList, isOne: boolean): readonly Value[] {
  const { dtype } = feature;
  const { list, place } = named;
  const data = dtype === 'string' ? texts(named) : numbersOf(list, dtype, place);
  const shape = isOne ? fittedShape(feature.shape, data.length) : feature.shape;
  if (!isStated(shape))
    throw damaged(
      place,
      `must have a stated shape within a sequence, it is ${shapeText(shape)}; encode it as bytes`,
    );
  const size = sizeOf(shape);
  const count = isOne ? 1 : data.length / size;
  if (!Number.isInteger(count) || count * size !== data.length)
    throw damaged(
      place,
      `must have ${size} numbers for each value, it has ${data.length}; the file is damaged`,
    );
  return Array.from({ length: count }, (_, index) =>
    tensorOf({ shape, data: part(data, index, size) }, dtype),
  );
}

/** Tensors from their bytes; `shapes` has the sizes of each, null if its feature states them. Errors: `data`. */
export function encodedTensors(
  feature: TensorFeature,
  named: NamedList,
  shapes: NumberData | null,
): readonly Value[] {
  const { shape: stated, encoding } = feature;
  const dtype = feature.dtype as NumberDtype;
  return byteStrings(named).map((bytes, index) => {
    const raw = encoding === 'zlib' ? inflated(bytes, named.place) : bytes;
    const data = numbersOfBytes(raw, dtype, named.place);
    const own =
      shapes && eachNumber(shapes.subarray(index * stated.length, (index + 1) * stated.length)).map(Number);
    const shape = own ?? fittedShape(stated, data.length);
    const fits =
      shape.length === stated.length && shape.every((size, axis) => size === (stated[axis] ?? size));
    if (!isStated(shape) || !fits || sizeOf(shape) !== data.length)
      throw damaged(
        named.place,
        `must have shape ${shapeText(stated)}, it has ${data.length} numbers; the file is damaged`,
      );
    return tensorOf({ shape, data }, dtype);
  });
}

function inflated(bytes: Uint8Array, place: string): Uint8Array {
  try {
    return inflateSync(bytes);
  } catch (cause) {
    throw damaged(place, 'must be compressed by zlib; the file is damaged', { cause });
  }
}

/** A scalar's value; otherwise the tensor. */
function tensorOf(tensor: Tensor, dtype: TensorFeature['dtype']): Value {
  if (tensor.shape.length > 0) return tensor;
  const value = tensor.data[0]!;
  return dtype === 'bool' ? value === 1 : value;
}

/** The shape with its free axis sized to the number of values. */
function fittedShape(shape: readonly Axis[], count: number): readonly Axis[] {
  if (freeAxes(shape) > 1) return shape;
  const rest = sizeOf(shape.map((size) => size ?? 1));
  return shape.map((size) => size ?? (rest === 0 ? 0 : Math.floor(count / rest)));
}

/** Number of axes of unknown size. */
export const freeAxes = (shape: readonly Axis[]) => shape.filter((size) => size === null).length;

/** The number of values of a shape. */
export const sizeOf = (shape: readonly number[]) => shape.reduce((product, size) => product * size, 1);

/** A shape in messages. */
export const shapeText = (shape: readonly Axis[]) => `[${shape.map((size) => size ?? 'any').join(', ')}]`;

const isStated = (shape: readonly Axis[]): shape is readonly number[] => !shape.includes(null);

function part(data: Tensor['data'], index: number, size: number): Tensor['data'] {
  const [from, to] = [index * size, (index + 1) * size];
  return isTexts(data) ? data.slice(from, to) : data.subarray(from, to);
}

const isTexts = (data: Tensor['data']): data is readonly string[] => Array.isArray(data);

export function damaged(place: string, rule: string, options?: { readonly cause: unknown }): EmacError {
  return new EmacError('data', `${place}: ${rule}`, options);
}
