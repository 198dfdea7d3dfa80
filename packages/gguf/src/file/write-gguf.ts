/** Writing a GGUF file of version 3: header and metadata by `@huggingface/gguf`, then the table of tensors and their data. */
import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { invariant } from '@emac/core';
import { createFolder, discard, requireSpace, syncFolder, temporaryBeside, whileWriting } from '@emac/files';
import { GGUFValueType, serializeGgufMetadata, type GGUFTypedMetadata } from '@huggingface/gguf';

import type { StoredType } from '../blocks/quantize.ts';
import { blockBytes, tensorTypes, valuesIn } from '../blocks/tensor-types.ts';

/** Values of metadata by key, in the order of the file; a number is a 32-bit count, unless it is said to be a float. */
export type Metadata = ReadonlyMap<string, MetadataValue>;

export type MetadataValue =
  | string
  | boolean
  | number
  | { readonly float: number }
  | { readonly texts: readonly string[] }
  | { readonly integers: readonly number[] }
  | { readonly floats: readonly number[] };

/** A tensor to write: `parts` yields its bytes from first to last. */
export interface TensorOut {
  readonly name: string;
  readonly type: StoredType;
  /** row by row */
  readonly shape: readonly number[];
  readonly parts: () => Iterable<Uint8Array>;
}

/** where tensors begin: the default of the format */
const alignment = 32;

/** The file appears complete or not at all. Errors: `io`, `cannot-create`, and what reading the parts throws. */
export function writeGguf(path: string, metadata: Metadata, tensors: readonly TensorOut[]): void {
  const head = header(metadata, tensors);
  const bytes = tensors.reduce((sum, tensor) => sum + padded(bytesOf(tensor)), head.byteLength);
  createFolder(dirname(path));
  requireSpace(dirname(path), bytes);
  const temporary = temporaryBeside(path);
  whileWriting(path, () => {
    try {
      const descriptor = openSync(temporary, 'wx');
      try {
        write(descriptor, head);
        for (const tensor of tensors) writeTensor(descriptor, tensor);
        fsyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
      renameSync(temporary, path);
    } catch (thrown) {
      discard(temporary);
      throw thrown;
    }
    syncFolder(dirname(path));
  });
}

function writeTensor(descriptor: number, tensor: TensorOut): void {
  let done = 0;
  for (const part of tensor.parts()) {
    write(descriptor, part);
    done += part.byteLength;
  }
  invariant(done === bytesOf(tensor), `${tensor.name}: must have ${bytesOf(tensor)} bytes, got ${done}`);
  write(descriptor, new Uint8Array(padded(done) - done));
}

function header(metadata: Metadata, tensors: readonly TensorOut[]): Buffer {
  const typed = {
    version: { value: 3, type: GGUFValueType.UINT32 },
    tensor_count: { value: BigInt(tensors.length), type: GGUFValueType.UINT64 },
    kv_count: { value: BigInt(metadata.size), type: GGUFValueType.UINT64 },
    ...Object.fromEntries([...metadata].map(([key, value]) => [key, typedValue(value)])),
  } as unknown as GGUFTypedMetadata;
  // without padding: the table of tensors follows at once
  const parts: Uint8Array[] = [serializeGgufMetadata(typed, { alignment: 1 })];
  let offset = 0;
  for (const tensor of tensors) {
    parts.push(tableEntry(tensor, offset));
    offset += padded(bytesOf(tensor));
  }
  const whole = Buffer.concat(parts);
  return Buffer.concat([whole], padded(whole.length));
}

function typedValue(value: MetadataValue): { value: unknown; type: GGUFValueType; subType?: GGUFValueType } {
  if (typeof value === 'string') return { value, type: GGUFValueType.STRING };
  if (typeof value === 'boolean') return { value, type: GGUFValueType.BOOL };
  if (typeof value === 'number') return { value, type: GGUFValueType.UINT32 };
  if ('float' in value) return { value: value.float, type: GGUFValueType.FLOAT32 };
  const list = (items: unknown, subType: GGUFValueType) => ({
    value: items,
    type: GGUFValueType.ARRAY,
    subType,
  });
  if ('texts' in value) return list(value.texts, GGUFValueType.STRING);
  if ('integers' in value) return list(value.integers, GGUFValueType.INT32);
  return list(value.floats, GGUFValueType.FLOAT32);
}

/** Name, sizes from the last to the first, type, and the distance from the first tensor. */
function tableEntry({ name, shape, type }: TensorOut, offset: number): Buffer {
  const text = Buffer.from(name);
  const entry = Buffer.alloc(8 + text.length + 4 + 8 * shape.length + 4 + 8);
  let at = entry.writeBigUInt64LE(BigInt(text.length), 0);
  at += text.copy(entry, at);
  at = entry.writeUInt32LE(shape.length, at);
  for (const size of [...shape].reverse()) at = entry.writeBigUInt64LE(BigInt(size), at);
  at = entry.writeUInt32LE(tensorTypes[type].id, at);
  entry.writeBigUInt64LE(BigInt(offset), at);
  return entry;
}

function bytesOf({ type, shape }: TensorOut): number {
  return blockBytes(type, valuesIn(shape));
}

function padded(bytes: number): number {
  return Math.ceil(bytes / alignment) * alignment;
}

function write(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.byteLength;) done += writeSync(descriptor, bytes, done);
}
