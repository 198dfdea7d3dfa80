/**
 * The header of a safetensors file (huggingface/safetensors, README "Format"): eight bytes of length, then JSON with
 * dtype, shape and data offsets of every tensor. Everything is checked before data is read: tensors fill the rest of
 * the file without holes or overlap, and names are unique. Departure: a header may have at most 16 MiB (the format
 * allows 100 MB; a 7-billion model needs 0.1 MB).
 */
import { EmacError, messageOf } from '@emac/core';
import { isDtype, tensorBytes } from './dtype.ts';
import type { Dtype } from './dtype.ts';
import { repeatedKey } from './json-keys.ts';

export const maximumHeaderBytes = 16 * 1024 * 1024;

export interface TensorInfo {
  readonly name: string;
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  /** start of the data, in bytes from the start of the file */
  readonly offset: number;
  /** bytes of data */
  readonly length: number;
}

export interface SafetensorsHeader {
  readonly metadata: Readonly<Record<string, string>>;
  readonly tensors: ReadonlyMap<string, TensorInfo>;
}

/** A header's path for messages, and the sizes of file and header in bytes. */
interface Place {
  readonly path: string;
  readonly fileBytes: number;
  readonly headerBytes: number;
}

/** The header's length in bytes from the first eight bytes of a file; `data` if it is impossible. */
export function headerLength(path: string, prefix: Uint8Array, fileBytes: number): number {
  if (prefix.byteLength < 8) throw damaged(path, `a safetensors file has at least 8 bytes, got ${fileBytes}`);
  const length = new DataView(prefix.buffer, prefix.byteOffset, 8).getBigUint64(0, true);
  if (length > BigInt(maximumHeaderBytes))
    throw damaged(
      path,
      `the header may have at most ${maximumHeaderBytes} bytes, its length field says ${length}`,
    );
  if (8 + Number(length) > fileBytes)
    throw damaged(
      path,
      `the header should have ${length} bytes, the file has ${fileBytes}; it was cut short`,
    );
  return Number(length);
}

/** Checks and parses a header's JSON; tensors are in the order of their data. Errors: `data`. */
export function parseHeader(json: Uint8Array, place: { path: string; fileBytes: number }): SafetensorsHeader {
  const entries = Object.entries(parseObject(json, place.path));
  const where: Place = { ...place, headerBytes: json.byteLength };
  const metadata = entries.find(([name]) => name === '__metadata__')?.[1] ?? {};
  const tensors = entries
    .filter(([name]) => name !== '__metadata__')
    .map(([name, value]) => readInfo(name, value, where))
    .sort((a, b) => a.offset - b.offset || a.length - b.length);
  checkCoverage(tensors, where);
  return {
    metadata: readMetadata(metadata, place.path),
    tensors: new Map(tensors.map((tensor) => [tensor.name, tensor])),
  };
}

function parseObject(bytes: Uint8Array, path: string): Record<string, unknown> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    if (!text.startsWith('{')) throw new Error('it does not begin with {');
    const value = JSON.parse(text) as Record<string, unknown>;
    const repeated = repeatedKey(text);
    if (repeated !== null) throw new Error(`the name ${JSON.stringify(repeated)} occurs twice`);
    return value;
  } catch (thrown) {
    throw damaged(path, `the header must be a JSON object of tensors: ${messageOf(thrown)}`);
  }
}

function readMetadata(value: unknown, path: string): Readonly<Record<string, string>> {
  const isTextMap = isObject(value) && Object.values(value).every((entry) => typeof entry === 'string');
  if (!isTextMap) throw damaged(path, '__metadata__ must map texts to texts');
  return value as Record<string, string>;
}

function readInfo(name: string, value: unknown, place: Place): TensorInfo {
  const fail = (rule: string) => damaged(`${place.path}, tensor ${JSON.stringify(name)}`, rule);
  if (!isObject(value)) throw fail('needs dtype, shape and data_offsets');
  const { dtype, shape, data_offsets: offsets } = value;
  if (!isDtype(dtype)) throw fail(`dtype ${short(dtype)} is not known`);
  if (!Array.isArray(shape)) throw fail(`shape must be a list of sizes, got ${short(shape)}`);
  const bytes = tensorBytes(dtype, shape);
  if (Number.isNaN(bytes)) throw fail(`shape ${short(shape)} is not a list of sizes, or too large`);
  if (!isRange(offsets)) throw fail(`data_offsets must be two ordered counts, got ${short(offsets)}`);
  const [begin, end] = offsets;
  if (end - begin !== bytes)
    throw fail(`${dtype} ${short(shape)} needs ${bytes} bytes, data_offsets give ${end - begin}`);
  const offset = 8 + place.headerBytes + begin;
  if (offset + bytes > place.fileBytes)
    throw fail(`ends at byte ${offset + bytes}, the file has ${place.fileBytes}; it was cut short`);
  return { name, dtype, shape: shape as number[], offset, length: bytes };
}

function checkCoverage(tensors: readonly TensorInfo[], place: Place): void {
  let expected = 8 + place.headerBytes;
  for (const tensor of tensors) {
    if (tensor.offset !== expected) {
      const what = tensor.offset < expected ? 'overlaps the one before' : 'leaves a hole before it';
      throw damaged(
        `${place.path}, tensor ${JSON.stringify(tensor.name)}`,
        `${what}: begins at byte ${tensor.offset} instead of ${expected}`,
      );
    }
    expected += tensor.length;
  }
  if (expected !== place.fileBytes)
    throw damaged(place.path, `tensors end at byte ${expected}, the file has ${place.fileBytes}`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isRange(value: unknown): value is [number, number] {
  return (
    Array.isArray(value) &&
    value.length === 2 &&
    value.every((end) => Number.isSafeInteger(end) && end >= 0) &&
    value[0] <= value[1]
  );
}

function short(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 80);
}

function damaged(place: string, rule: string): EmacError {
  return new EmacError('data', `${place}: ${rule}`);
}
