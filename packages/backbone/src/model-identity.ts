/**
 * What makes two model folders the same model: sizes, tensor names and shapes, and the bytes of the weight
 * files. Paths, times and the formatting of `config.json` do not matter.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

import { EmacError, messageOf } from '@emac/core';
import { sha256 } from '@emac/files';

import { openCheckpoint } from './checkpoint.ts';

/** 64 hexadecimal digits (SHA-256). Reads every weight file once. Errors: as `openCheckpoint`, and `io`. */
export async function modelIdentity(folder: string): Promise<string> {
  const { config, files } = openCheckpoint(folder);
  const tensors = [...files.fileOf].map(([name, file]) => [name, file.tensors.get(name)!.shape]).sort();
  const contents: string[] = [];
  for (const path of files.paths) contents.push(await hashFile(path));
  return sha256(JSON.stringify({ config, tensors, contents }));
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }))
      hash.update(chunk as Buffer);
  } catch (thrown) {
    throw new EmacError('io', `${path}: cannot be read to the end (${messageOf(thrown)})`);
  }
  return hash.digest('hex');
}
