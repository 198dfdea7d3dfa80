/**
 * What makes two model folders the same frozen networks: sizes, every tensor but the trainable projection's, and the
 * files that decide what the networks read (tokenizers, image preprocessing). Paths, times, the formatting of
 * `config.json` and how tensors are spread over files do not matter.
 */
import { createHash, type Hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

import { EmacError, messageOf } from '@emac/core';
import { sha256, type TensorInfo } from '@emac/files';

import { openCheckpoint } from './checkpoint.ts';
import type { WeightFiles } from './weight-files.ts';

/** the projection is what training changes */
const trainable = 'language_projection.';
const besideConfig = ['preprocessor_config.json', 'tokenizer.json', 'qformer_tokenizer/tokenizer.json'];
const chunkBytes = 1 << 20;

/** 64 hexadecimal digits (SHA-256). Reads every frozen weight once. Errors: as `openCheckpoint`, and `io`. */
export async function modelIdentity(folder: string): Promise<string> {
  const { config, files } = openCheckpoint(folder);
  const hash = createHash('sha256');
  const inputs = besideConfig.map((name) => [name, fileHash(join(folder, name))]);
  hash.update(JSON.stringify({ config, inputs }));
  await hashTensors(hash, files);
  return hash.digest('hex');
}

function fileHash(path: string): string | null {
  try {
    return existsSync(path) ? sha256(readFileSync(path)) : null;
  } catch (thrown) {
    throw unreadable(path, messageOf(thrown));
  }
}

/** Name, type, shape and bytes of every frozen tensor, in the order of their names. */
async function hashTensors(hash: Hash, { fileOf }: WeightFiles): Promise<void> {
  const handles = new Map<string, FileHandle>();
  const buffer = Buffer.allocUnsafe(chunkBytes);
  try {
    for (const name of [...fileOf.keys()].filter((each) => !each.startsWith(trainable)).sort()) {
      const { path, tensors } = fileOf.get(name)!;
      const tensor = tensors.get(name)!;
      hash.update(JSON.stringify([name, tensor.dtype, tensor.shape]));
      const handle = handles.get(path) ?? (await opened(path));
      handles.set(path, handle);
      await hashBytes(hash, { path, handle, tensor, buffer });
    }
  } finally {
    for (const handle of handles.values()) await handle.close();
  }
}

async function opened(path: string): Promise<FileHandle> {
  return open(path).catch((thrown: unknown) => {
    throw unreadable(path, messageOf(thrown));
  });
}

interface TensorPlace {
  readonly path: string;
  readonly handle: FileHandle;
  readonly tensor: TensorInfo;
  readonly buffer: Buffer;
}

async function hashBytes(hash: Hash, { path, handle, tensor, buffer }: TensorPlace): Promise<void> {
  for (let done = 0; done < tensor.length;) {
    const wanted = Math.min(buffer.length, tensor.length - done);
    const { bytesRead } = await handle
      .read(buffer, 0, wanted, tensor.offset + done)
      .catch((thrown: unknown) => {
        throw unreadable(path, messageOf(thrown));
      });
    if (bytesRead === 0)
      throw unreadable(path, `${tensor.name} ends after ${done} of ${tensor.length} bytes`);
    hash.update(buffer.subarray(0, bytesRead));
    done += bytesRead;
  }
}

function unreadable(path: string, why: string): EmacError {
  return new EmacError('io', `${path}: cannot be read to the end (${why})`);
}
