/**
 * The policy's features of a dataset's pictures, computed once per distinct picture and stored in a file: 10⁵ pictures
 * would not fit in memory. A record is the hash of the picture's file, the features' key and their float16 values,
 * preceded by their count (uint32, little-endian) if pictures differ in size.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import type { Features, Frame, Policy } from '@emac/core';
import {
  float16ToFloat32,
  float32ToFloat16,
  openAppendFile,
  whileReading,
  type AppendFile,
} from '@emac/files';
import type { FilePart } from '@emac/files';

export interface FeatureFile {
  readonly file: AppendFile;
  /** features of a picture, by its file's hash */
  of(picture: { readonly hash: string; readonly frame: () => Promise<Frame> }): Promise<Features>;
  close(): void;
}

export interface FeatureFileOptions {
  readonly policy: { readonly encode: NonNullable<Policy['encode']> };
  /** values per picture; null if pictures differ */
  readonly values: number | null;
  /** the part of the file to keep; nothing in a new run */
  readonly keep: FilePart | undefined;
}

const hashBytes = 32;
const countBytes = 4;

/** Opens or creates the file. Errors: `cannot-create`, `io`, `data`. */
export function openFeatureFile(path: string, { policy, values, keep }: FeatureFileOptions): FeatureFile {
  const file = openAppendFile(path, keep ?? { length: 0 });
  const reading = whileReading(path, () => openSync(path, 'r'));
  const head = 2 * hashBytes + (values === null ? countBytes : 0);
  const countAt = (offset: number): number => {
    if (values !== null) return values;
    const { buffer } = readAt(offset + 2 * hashBytes, countBytes);
    return new DataView(buffer).getUint32(0, true);
  };
  const readAt = (offset: number, length: number): Uint8Array<ArrayBuffer> => {
    const bytes = new Uint8Array(length);
    whileReading(path, () => readSync(reading, bytes, 0, length, offset));
    return bytes;
  };
  const places = new Map<string, number>();
  for (let offset = 0; offset < file.length; offset += head + 2 * countAt(offset))
    places.set(hexOf(readAt(offset, hashBytes)), offset);
  return {
    file,
    async of({ hash, frame }) {
      const place = places.get(hash);
      if (place !== undefined)
        return {
          key: hexOf(readAt(place + hashBytes, hashBytes)),
          data: float16ToFloat32(new Uint16Array(readAt(place + head, 2 * countAt(place)).buffer)),
        };
      const features = await policy.encode(await frame());
      places.set(hash, file.length);
      file.append(recordOf(hash, features, { counted: values === null }));
      return features;
    },
    close() {
      closeSync(reading);
      file.close();
    },
  };
}

function recordOf(hash: string, { key, data }: Features, { counted }: { counted: boolean }): Uint8Array {
  const bits = float32ToFloat16(data);
  const values = Buffer.from(bits.buffer, bits.byteOffset, bits.byteLength);
  const count = Buffer.alloc(counted ? countBytes : 0);
  if (counted) count.writeUInt32LE(data.length);
  return Buffer.concat([Buffer.from(hash, 'hex'), Buffer.from(key, 'hex'), count, values]);
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, hashBytes).toString('hex');
}
