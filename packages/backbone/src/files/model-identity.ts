/**
 * Identifies the frozen networks of a model. The identity covers sizes, every tensor that the networks read except the
 * trainable projection, and the files that decide their input (tokenizers with what the files beside them change, begin token, image
 * preprocessing). Paths,
 * times, the formatting of `config.json`, the split into files and tensor names in files do not matter.
 */
import { type FileHandle, type Sha256, openFile, readFileSync, startSha256 } from '@emac/platform';

import { EmacError, messageOf } from '@emac/core';
import { isThere, sha256 } from '@emac/files';

import { readJsonObject, type JsonObject } from './json-object.ts';
import { openModelFiles, type ModelFiles } from './model-files.ts';
import { isHeld, type TensorPlace, type TensorTable } from './tensor-table.ts';
import { namedBeginToken, readTokenizerJson } from './tokenizer.ts';

/** training changes the projection */
const trainable = 'language_projection.';
const chunkBytes = 1 << 20;

/** 64 hexadecimal digits (SHA-256). Reads every frozen weight once. Errors: as `openModelFiles`, and `io`. */
export async function modelIdentity(model: string | ModelFiles): Promise<string> {
  const { config, tensors, companions } = typeof model === 'string' ? openModelFiles(model) : model;
  const { tokenizer, qformerTokenizer, imageProcessor } = companions;
  const hash = startSha256();
  const inputs = {
    tokenizer: fileHash(tokenizer),
    beginToken: companions.beginToken ?? namedBeginToken(tokenizer),
    qformerTokenizer: fileHash(qformerTokenizer),
    imageProcessor: fileHash(imageProcessor),
    // a folder whose files change nothing of tokenizer.json keeps the identity that it had without this
    ...tokenizerChanges('tokenizerChanges', tokenizer),
    ...tokenizerChanges('qformerTokenizerChanges', qformerTokenizer),
  };
  hash.update(JSON.stringify({ config, inputs }));
  await hashTensors(hash, tensors);
  return hash.digest('hex');
}

/** The parts of `tokenizer.json` that the files beside it change. */
function tokenizerChanges(key: string, file: string): JsonObject {
  if (!isThere(file)) return {};
  const [own, changed] = [readJsonObject(file), readTokenizerJson(file)];
  const parts = Object.keys(changed).filter((part) => textOf(changed[part]) !== textOf(own[part]));
  return parts.length === 0 ? {} : { [key]: Object.fromEntries(parts.map((part) => [part, changed[part]])) };
}

/** Equal texts of values that are equal but for the order of keys and missing parts. */
function textOf(value: unknown): string {
  return JSON.stringify(value ?? [], (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}

function fileHash(path: string): string | null {
  try {
    return isThere(path) ? sha256(readFileSync(path)) : null;
  } catch (thrown) {
    throw unreadable(path, messageOf(thrown));
  }
}

/** Name, type, shape and bytes of every frozen tensor, in the order of their names. */
async function hashTensors(hash: Sha256, tensors: TensorTable): Promise<void> {
  const handles = new Map<string, FileHandle>();
  const buffer = new Uint8Array(chunkBytes);
  try {
    for (const name of [...tensors.keys()].filter((each) => !each.startsWith(trainable)).sort()) {
      const tensor = tensors.get(name)!;
      const { path } = tensor;
      hash.update(JSON.stringify([name, tensor.dtype, tensor.shape]));
      if (isHeld(tensor)) {
        hash.update(tensor.bytes);
        continue;
      }
      const handle = handles.get(path) ?? (await opened(path));
      handles.set(path, handle);
      await hashBytes(hash, { handle, tensor, buffer });
    }
  } finally {
    for (const handle of handles.values()) await handle.close();
  }
}

async function opened(path: string): Promise<FileHandle> {
  return openFile(path).catch((thrown: unknown) => {
    throw unreadable(path, messageOf(thrown));
  });
}

interface Reading {
  readonly handle: FileHandle;
  readonly tensor: TensorPlace;
  readonly buffer: Uint8Array;
}

async function hashBytes(hash: Sha256, { handle, tensor, buffer }: Reading): Promise<void> {
  const { path } = tensor;
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
