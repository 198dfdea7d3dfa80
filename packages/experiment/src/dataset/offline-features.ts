/**
 * What the policy sees in the pictures of a dataset, computed once for each distinct picture and kept in a file: 10⁵
 * pictures would not fit in memory. A record is the hash of the picture's file, the key of the features and their
 * float16 values.
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
  /** the features of a picture, by the hash of its file */
  of(picture: { readonly hash: string; readonly frame: () => Promise<Frame> }): Promise<Features>;
  close(): void;
}

export interface FeatureFileOptions {
  readonly policy: Pick<Policy, 'encode'>;
  /** values of one picture: query tokens × width of the Q-Former */
  readonly values: number;
  /** what of the file is kept; nothing in a run that begins */
  readonly keep: FilePart | undefined;
}

const hashBytes = 32;

/** Opens or creates the file. Errors: `cannot-create`, `io`, `data`. */
export function openFeatureFile(path: string, { policy, values, keep }: FeatureFileOptions): FeatureFile {
  const file = openAppendFile(path, keep ?? { length: 0 });
  const reading = whileReading(path, () => openSync(path, 'r'));
  const recordBytes = 2 * hashBytes + 2 * values;
  const readAt = (offset: number, length: number): Uint8Array<ArrayBuffer> => {
    const bytes = new Uint8Array(length);
    whileReading(path, () => readSync(reading, bytes, 0, length, offset));
    return bytes;
  };
  const places = new Map<string, number>();
  for (let offset = 0; offset < file.length; offset += recordBytes)
    places.set(hexOf(readAt(offset, hashBytes)), offset);
  return {
    file,
    async of({ hash, frame }) {
      const place = places.get(hash);
      if (place !== undefined) return featuresOf(readAt(place + hashBytes, recordBytes - hashBytes));
      const features = await policy.encode(await frame());
      places.set(hash, file.length);
      file.append(recordOf(hash, features));
      return features;
    },
    close() {
      closeSync(reading);
      file.close();
    },
  };
}

function recordOf(hash: string, { key, data }: Features): Uint8Array {
  const bits = float32ToFloat16(data);
  const values = Buffer.from(bits.buffer, bits.byteOffset, bits.byteLength);
  return Buffer.concat([Buffer.from(hash, 'hex'), Buffer.from(key, 'hex'), values]);
}

function featuresOf(bytes: Uint8Array<ArrayBuffer>): Features {
  return {
    key: hexOf(bytes.subarray(0, hashBytes)),
    data: float16ToFloat32(new Uint16Array(bytes.buffer, hashBytes)),
  };
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, hashBytes).toString('hex');
}
