/** Encoded rows on disk: a shard is one safetensors file of slots, ids, lessons and row offsets. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { encodeSafetensors, openSafetensors, readTensor, writeFileAtomic } from '@emac/files';
import type { EncodedRow } from './encoded-row.ts';

export function writeShard(path: string, rows: readonly EncodedRow[]): void {
  const starts = new Int32Array(rows.length + 1);
  rows.forEach((row, index) => (starts[index + 1] = starts[index]! + row.ids.length));
  const words = rows[0]?.slots.length ?? 0;
  const slots = new Int32Array(rows.length * words);
  const ids = new Int32Array(starts[rows.length]!);
  const lessons = new Uint8Array(ids.length);
  rows.forEach((row, index) => {
    slots.set(row.slots, index * words);
    ids.set(row.ids, starts[index]);
    lessons.set(row.lessons, starts[index]);
  });
  const entries = new Map([
    ['slots', { dtype: 'I32' as const, shape: [rows.length, words / 3, 3], data: slots }],
    ['ids', { dtype: 'I32' as const, shape: [ids.length], data: ids }],
    ['lessons', { dtype: 'U8' as const, shape: [ids.length], data: lessons }],
    ['starts', { dtype: 'I32' as const, shape: [starts.length], data: starts }],
  ]);
  writeFileAtomic(path, encodeSafetensors(entries));
}

export function readShard(path: string): EncodedRow[] {
  const file = openSafetensors(path);
  const bytes = (name: string) => {
    const { data } = readTensor(file, name);
    return data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength) as ArrayBuffer;
  };
  const [slots, ids, starts] = ['slots', 'ids', 'starts'].map((name) => new Int32Array(bytes(name))) as [
    Int32Array,
    Int32Array,
    Int32Array,
  ];
  const lessons = new Uint8Array(bytes('lessons'));
  const rows = starts.length - 1;
  const words = slots.length / rows;
  return Array.from({ length: rows }, (_, index) => ({
    slots: slots.subarray(index * words, (index + 1) * words),
    ids: ids.subarray(starts[index], starts[index + 1]),
    lessons: lessons.subarray(starts[index], starts[index + 1]),
  }));
}

/** The shards of a folder, in name order. */
export function listShards(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.safetensors'))
    .sort()
    .map((name) => join(folder, name));
}
