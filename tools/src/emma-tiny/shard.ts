/** Encoded plays on disk: a shard is one safetensors file of ids, lessons and where each play starts. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { encodeSafetensors, openSafetensors, readTensor, writeFileAtomic } from '@emac/files';
import type { EncodedPlay } from './encoded-play.ts';

export function writeShard(path: string, plays: readonly EncodedPlay[]): void {
  const starts = new Int32Array(plays.length + 1);
  plays.forEach((play, index) => (starts[index + 1] = starts[index]! + play.ids.length));
  const ids = new Int32Array(starts[plays.length]!);
  const lessons = new Uint8Array(ids.length);
  plays.forEach((play, index) => {
    ids.set(play.ids, starts[index]);
    lessons.set(play.lessons, starts[index]);
  });
  const entries = new Map([
    ['ids', { dtype: 'I32' as const, shape: [ids.length], data: ids }],
    ['lessons', { dtype: 'U8' as const, shape: [ids.length], data: lessons }],
    ['starts', { dtype: 'I32' as const, shape: [starts.length], data: starts }],
  ]);
  writeFileAtomic(path, encodeSafetensors(entries));
}

export function readShard(path: string): EncodedPlay[] {
  const file = openSafetensors(path);
  const integers = (name: string) => {
    const { data } = readTensor(file, name);
    return new Int32Array(data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength));
  };
  const ids = integers('ids');
  const lessons = readTensor(file, 'lessons').data;
  const starts = integers('starts');
  return Array.from({ length: starts.length - 1 }, (_, index) => ({
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
