/** Encodes values as an example, in the layout described in `decode.ts`. */
import { deflateSync } from 'node:zlib';
import { EmacError } from '@emac/core';
import type { Example, ExampleFeature } from '../records/example.ts';
import { below, hasOwnShape } from './decode.ts';
import {
  isTensor,
  type Axis,
  type Dtype,
  type Feature,
  type ImageFeature,
  type Tensor,
  type TensorFeature,
  type Value,
} from './feature.ts';
import { shapeText, sizeOf, type Leaf } from './leaf.ts';
import { pictureFormat } from './picture.ts';
import { arrayOf, eachNumber, isOfType, listOf, type NumberData } from './numbers.ts';

/** The example of an episode. Errors: `data` naming `place`, the feature and the rule. */
export function encodeFeatures(feature: Feature, value: Value, place: string): Example {
  const lists = new Map<string, ExampleFeature>();
  encodeAll(feature, [value], { key: '', lengths: [], lists, place });
  return lists;
}

interface Target {
  readonly key: string;
  /** for every enclosing list level the lengths, outermost first */
  readonly lengths: readonly (readonly number[])[];
  readonly lists: Map<string, ExampleFeature>;
  readonly place: string;
}

/** Encodes consecutive values of a feature. */
function encodeAll(feature: Feature, values: readonly Value[], target: Target): void {
  const { key, lengths } = target;
  switch (feature.kind) {
    case 'dict':
      for (const name of namesOf(feature, values, target))
        encodeAll(
          feature.features[name]!,
          values.map((value) => (value as Readonly<Record<string, Value>>)[name]!),
          { ...target, key: below(key, name) },
        );
      return;
    case 'dataset':
      if (lengths.length > 0) throw fault(target, 'must not be a dataset within another or a sequence');
      return encodeLists({ feature: feature.feature, length: null }, values, target);
    case 'sequence':
      return encodeSequence(feature, values, target);
    default:
      encodeLeaf(feature, values, target);
  }
}

/** A sequence of a dict is given as a dict of lists. */
function encodeSequence(sequence: Listed, values: readonly Value[], target: Target): void {
  const { feature, length } = sequence;
  if (length !== null && target.lengths.length > 0)
    throw fault(
      target,
      `must have no fixed length within a sequence or dataset, it has ${length}: TensorFlow Datasets cannot read that back; give null, or a tensor`,
    );
  if (feature.kind !== 'dict') return encodeLists(sequence, values, target);
  const parts = Object.entries(feature.features).map(
    ([name, inner]) => [name, { kind: 'sequence', feature: inner, length }] as const,
  );
  encodeAll({ kind: 'dict', features: Object.fromEntries(parts) }, values, target);
}

interface Listed {
  readonly feature: Feature;
  readonly length: Axis;
}

function encodeLists({ feature, length }: Listed, values: readonly Value[], target: Target): void {
  const lists = values.map((value) => {
    if (!Array.isArray(value)) throw fault(target, `must be a list, got ${shown(value)}`);
    if (length !== null && value.length !== length)
      throw fault(target, `must have ${length} elements, got ${value.length}`);
    return value as readonly Value[];
  });
  encodeAll(feature, lists.flat(1), {
    ...target,
    lengths: [...target.lengths, lists.map((list) => list.length)],
  });
}

/** The names of a dict, after checking that every value has exactly these. */
function namesOf(
  feature: Extract<Feature, { kind: 'dict' }>,
  values: readonly Value[],
  target: Target,
): readonly string[] {
  const names = Object.keys(feature.features);
  for (const value of values) {
    if (typeof value !== 'object' || Array.isArray(value) || ArrayBuffer.isView(value))
      throw fault(target, `must be an object, got ${shown(value)}`);
    const absent = names.find((name) => !Object.hasOwn(value, name));
    if (absent !== undefined) throw fault(target, `must have ${absent}, which is missing`);
    const other = Object.keys(value).find((name) => !Object.hasOwn(feature.features, name));
    if (other !== undefined) throw fault(target, `must have ${names.join(', ')} alone, got ${other}`);
  }
  return names;
}

function encodeLeaf(feature: Leaf, values: readonly Value[], target: Target): void {
  if (feature.kind === 'text')
    return store({ kind: 'bytes', values: values.map((value) => textBytes(value, target)) }, target);
  if (feature.kind === 'image')
    return store(
      { kind: 'bytes', values: values.map((value) => pictureBytes(feature, value, target)) },
      target,
    );
  const tensors = values.map((value) => tensorOf(feature, value, target));
  if (feature.encoding === 'none') return store(plainList(feature.dtype, tensors, target), target);
  const bytes = tensors.map(({ data }) => encodedBytes(data as NumberData, feature));
  if (!hasOwnShape(feature)) return store({ kind: 'bytes', values: bytes }, target);
  store({ kind: 'bytes', values: bytes }, { ...target, key: `${target.key}/value` });
  const sizes = arrayOf(
    tensors.flatMap(({ shape }) => shape),
    'int32',
    target.key,
  );
  store(listOf(sizes, 'int32'), { ...target, key: `${target.key}/shape` });
}

/** Stores values under the feature's name; with two or more enclosing lists, their lengths beside it. */
function store(list: ExampleFeature, { key, lengths, lists }: Target): void {
  if (lengths.length < 2) return void lists.set(key, list);
  lists.set(`${key}/ragged_flat_values`, list);
  lengths.slice(1).forEach((each, level) => {
    lists.set(`${key}/ragged_row_lengths_${level}`, listOf(arrayOf(each, 'uint32', key), 'uint32'));
  });
}

function plainList(dtype: Dtype, tensors: readonly Tensor[], target: Target): ExampleFeature {
  if (dtype === 'string')
    return {
      kind: 'bytes',
      values: tensors.flatMap(({ data }) =>
        Array.from(data as readonly string[], (text) => Buffer.from(text)),
      ),
    };
  const [first] = tensors;
  if (tensors.length === 1) return listOf(first!.data as NumberData, dtype);
  const all = tensors.flatMap(({ data }) => eachNumber(data as NumberData));
  return listOf(arrayOf(all, dtype, `${target.place}: ${target.key}`), dtype);
}

function encodedBytes(data: NumberData, { encoding }: TensorFeature): Uint8Array {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return encoding === 'zlib' ? deflateSync(bytes) : bytes;
}

/** A scalar's value as a tensor; checks shape and type. */
function tensorOf(feature: TensorFeature, value: Value, target: Target): Tensor {
  const { shape, dtype } = feature;
  const tensor = shape.length === 0 ? scalar(dtype, value, target) : value;
  if (!isTensor(tensor)) throw fault(target, `must be {shape, data}, got ${shown(value)}`);
  const fits =
    tensor.shape.length === shape.length &&
    shape.every((size, axis) => (size ?? tensor.shape[axis]) === tensor.shape[axis]);
  if (!fits || sizeOf(tensor.shape) !== tensor.data.length)
    throw fault(
      target,
      `must have shape ${shapeText(shape)}, got ${shapeText(tensor.shape)} with ${tensor.data.length} values`,
    );
  if (target.lengths.length > 0 && feature.encoding === 'none' && shape.includes(null))
    throw fault(
      target,
      `must have a stated shape within a sequence, it is ${shapeText(shape)}; encode it as bytes`,
    );
  if (!(dtype === 'string' ? Array.isArray(tensor.data) : isOfType(tensor.data, dtype)))
    throw fault(target, `must hold ${dtype}, got ${tensor.data.constructor.name}`);
  return tensor;
}

function scalar(dtype: Dtype, value: Value, target: Target): Tensor {
  const kind = dtype === 'string' ? 'string' : dtype === 'bool' ? 'boolean' : 'number';
  const isNumber = typeof value === kind || (typeof value === 'bigint' && kind === 'number');
  if (!isNumber) throw fault(target, `must be a ${kind}, got ${shown(value)}`);
  if (dtype === 'string') return { shape: [], data: [value as string] };
  return { shape: [], data: arrayOf([value as number], dtype, `${target.place}: ${target.key}`) };
}

function textBytes(value: Value, target: Target): Uint8Array {
  if (typeof value !== 'string') throw fault(target, `must be a text, got ${shown(value)}`);
  return new TextEncoder().encode(value);
}

function pictureBytes({ encoding }: ImageFeature, value: Value, target: Target): Uint8Array {
  if (!(value instanceof Uint8Array))
    throw fault(target, `must be the bytes of a picture, got ${shown(value)}`);
  const format = pictureFormat(value);
  if (format === null || (encoding !== null && format !== encoding))
    throw fault(
      target,
      `must be the bytes of a ${encoding ?? 'PNG or JPEG'} file, got ${format ?? 'others'}`,
    );
  return value;
}

const shown = (value: Value | undefined) =>
  Array.isArray(value)
    ? 'a list'
    : value instanceof Uint8Array
      ? 'bytes'
      : typeof value === 'object'
        ? 'an object'
        : String(value);

const fault = ({ place, key }: Target, rule: string): EmacError =>
  new EmacError('data', `${place}: ${key || 'episode'}: ${rule}`);
