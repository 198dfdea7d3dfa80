/**
 * `tf.train.Example`: a map from names to lists of byte strings, 32-bit floats or 64-bit integers. In the wire format `Example.features` =
 * 1, `Features.feature` = 1 (entries of `key` = 1 and `value` = 2), `Feature.bytes_list` = 1, `float_list` = 2, `int64_list` = 3, and
 * `value` = 1 in each list, packed for numbers (unpacked lists are read too). TensorFlow Datasets writes no other message, so
 * `SequenceExample` is not supported.
 */
import { EmacError } from '@emac/core';
import { bytesField, fieldsOf, joined, packedVarints, VarintReader, type WireField } from './wire.ts';

export type ExampleFeature =
  | { readonly kind: 'bytes'; readonly values: readonly Uint8Array[] }
  | { readonly kind: 'float'; readonly values: Float32Array }
  | { readonly kind: 'int64'; readonly values: BigInt64Array }
  /** an empty list without a stated type */
  | { readonly kind: 'empty'; readonly values: readonly [] };

export type Example = ReadonlyMap<string, ExampleFeature>;

/** The features of a record; byte strings are views of it. Errors: `data`; `place` starts the message. */
export function decodeExample(record: Uint8Array, place = 'example'): Example {
  const features = new Map<string, ExampleFeature>();
  for (const part of messages(record, 1, place))
    for (const entry of messages(part, 1, place)) {
      const fields = fieldsOf(entry, place);
      const key = text(lastBytes(fields, 1), place);
      features.set(key, featureOf(lastBytes(fields, 2), `${place}: ${key}`));
    }
  return features;
}

/** The bytes of a record; equal maps give equal bytes in any order. */
export function encodeExample(features: Example): Uint8Array {
  const names = [...features.keys()].sort((one, other) => (one < other ? -1 : 1));
  const entries = names.map((name) =>
    bytesField(
      1,
      joined([bytesField(1, Buffer.from(name)), bytesField(2, featureBytes(features.get(name)!))]),
    ),
  );
  return bytesField(1, joined(entries));
}

/** The kind is the last of its three fields; repeated lists are joined, as protobuf merges them. */
function featureOf(message: Uint8Array, place: string): ExampleFeature {
  const lists = fieldsOf(message, place);
  const last = lists.at(-1);
  const inner = lists
    .filter(({ number }) => number === last?.number)
    .flatMap((list) => (list.type === 'bytes' ? fieldsOf(list.bytes, place) : []))
    .filter(({ number }) => number === 1);
  if (last?.number === 1) return { kind: 'bytes', values: inner.flatMap(bytesOf) };
  if (last?.number === 2) return { kind: 'float', values: floats(inner, place) };
  if (last?.number === 3) return { kind: 'int64', values: integers(inner, place) };
  return { kind: 'empty', values: [] };
}

function floats(fields: readonly WireField[], place: string): Float32Array {
  const parts = fields.flatMap((field) => (field.type === 'fixed32' ? [field.bytes] : bytesOf(field)));
  const bytes = joined(parts);
  if (bytes.length % 4 !== 0)
    throw new EmacError(
      'data',
      `${place}: floats must have four bytes each, they have ${bytes.length}; the file is damaged`,
    );
  return new Float32Array(bytes.buffer);
}

/** Into both halves of each integer: a `bigint` for each would cost as much as everything else. */
function integers(fields: readonly WireField[], place: string): BigInt64Array {
  const halves: number[] = [];
  for (const field of fields) {
    if (field.type === 'varint') halves.push(field.low, field.high);
    if (field.type !== 'bytes') continue;
    const reader = new VarintReader(field.bytes, place);
    while (reader.at < field.bytes.length) {
      reader.next();
      halves.push(reader.low, reader.high);
    }
  }
  return new BigInt64Array(Int32Array.from(halves).buffer);
}

function featureBytes(feature: ExampleFeature): Uint8Array {
  switch (feature.kind) {
    case 'bytes':
      return bytesField(1, joined(feature.values.map((value) => bytesField(1, value))));
    case 'float': {
      const { buffer, byteOffset, byteLength } = feature.values;
      return bytesField(2, packed(new Uint8Array(buffer, byteOffset, byteLength)));
    }
    case 'int64':
      return bytesField(3, packed(packedVarints(feature.values)));
    case 'empty':
      return new Uint8Array(0);
  }
}

const packed = (bytes: Uint8Array) => (bytes.length === 0 ? bytes : bytesField(1, bytes));

const bytesOf = (field: WireField): Uint8Array[] => (field.type === 'bytes' ? [field.bytes] : []);

function messages(message: Uint8Array, number: number, place: string): Uint8Array[] {
  return fieldsOf(message, place).flatMap((field) => (field.number === number ? bytesOf(field) : []));
}

function lastBytes(fields: readonly WireField[], number: number): Uint8Array {
  return (
    fields
      .filter((field) => field.number === number)
      .flatMap(bytesOf)
      .at(-1) ?? new Uint8Array(0)
  );
}

function text(bytes: Uint8Array, place: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new EmacError('data', `${place}: names of features must be UTF-8; the file is damaged`, { cause });
  }
}
