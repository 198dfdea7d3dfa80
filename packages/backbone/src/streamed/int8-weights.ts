/**
 * A copy of the language model's layers in eight bits: each matrix [out, in] as int8 [in, out] with one scale per
 * output, so that the output's largest weight is 127. Norms, embeddings and the head stay as they are. The copy is one
 * file per model, written under a temporary name and then renamed; it holds 1 byte per weight.
 */
import { closeSync, dirname, fsyncSync, join, openSync, renameSync, writeSync } from '@emac/platform';

import { EmacError } from '@emac/core';
import {
  createFolder,
  discard,
  isThere,
  openSafetensors,
  syncFolder,
  temporaryBeside,
  tensorBytes,
  whileWriting,
} from '@emac/files';
import { createSession, Graph, op, type Session, type Value } from '@emac/graph';

import type { ModelFiles } from '../files/model-files.ts';
import type { StoredTensor, TensorPlace } from '../files/tensor-table.ts';

export interface Int8Options {
  /** the model's, from `modelIdentity` */
  readonly identity: string;
  /** the folder of all copies */
  readonly folder: string;
}

/** The name of a weight's scales. */
export const scaleOf = (weight: string): string => `${weight}.scale`;

/** The path of a model's copy. */
export function int8CopyPath({ identity, folder }: Int8Options): string {
  return join(folder, `int8-${identity.slice(0, 32)}.safetensors`);
}

/** The model with its layers in eight bits. The first call for a model writes the copy. Errors: `io`, `data`, `cannot-create`. */
export async function int8ModelFiles(
  files: ModelFiles,
  { identity, folder }: Int8Options,
): Promise<ModelFiles> {
  const path = int8CopyPath({ identity, folder });
  const names = matrixNames(files);
  if (!isThere(path)) await writeCopy(files, { path, names, identity });
  const copy = openSafetensors(path);
  if (copy.metadata['identity'] !== identity)
    throw new EmacError(
      'data',
      `${path}: is the copy of another model; remove it, and it will be written again`,
    );
  const tensors = new Map<string, StoredTensor>(files.tensors);
  for (const name of names)
    for (const each of [name, scaleOf(name)]) {
      const tensor = copy.tensors.get(each);
      if (!tensor)
        throw new EmacError(
          'data',
          `${path}: has no tensor ${each}; remove the file, and it will be written again`,
        );
      tensors.set(each, { ...tensor, path });
    }
  return {
    ...files,
    tensors,
    locate: (name) => (copy.tensors.has(name) ? (tensors.get(name) as TensorPlace) : files.locate(name)),
  };
}

function matrixNames({ tensors }: ModelFiles): string[] {
  const isMatrix = (name: string) => /^language_model\.model\.layers\.\d+\..*_proj\.weight$/.test(name);
  return [...tensors.keys()].filter(isMatrix).sort();
}

interface Copy {
  readonly path: string;
  readonly names: readonly string[];
  readonly identity: string;
}

async function writeCopy(files: ModelFiles, { path, names, identity }: Copy): Promise<void> {
  createFolder(dirname(path));
  const temporary = temporaryBeside(path);
  const session = await createSession(quantizer(files, names[0]!), {
    foldConstants: false,
    planMemory: false,
  });
  const descriptor = whileWriting(path, () => openSync(temporary, 'wx'));
  try {
    write(descriptor, path, header(files, names, identity));
    for (const name of names) {
      const { quantized, scale } = await quantize(files, session, name);
      write(descriptor, path, bytesOf(quantized!));
      write(descriptor, path, bytesOf(scale!));
    }
    whileWriting(path, () => {
      fsyncSync(descriptor);
      renameSync(temporary, path);
      syncFolder(dirname(path));
    });
  } catch (error) {
    discard(temporary);
    throw error;
  } finally {
    closeSync(descriptor);
    await session.dispose();
  }
}

function write(descriptor: number, path: string, bytes: Uint8Array): void {
  whileWriting(path, () => {
    for (let done = 0; done < bytes.byteLength;) done += writeSync(descriptor, bytes, done);
  });
}

/** In file order: a matrix, then its scales. */
function header(files: ModelFiles, names: readonly string[], identity: string): Uint8Array {
  const entries: Record<string, object> = { __metadata__: { identity, format: 'int8 columns, version 1' } };
  let begin = 0;
  const add = (name: string, dtype: 'I8' | 'F32', shape: readonly number[]) => {
    const end = begin + tensorBytes(dtype, shape);
    entries[name] = { dtype, shape, data_offsets: [begin, end] };
    begin = end;
  };
  for (const name of names) {
    const [outWidth, inWidth] = files.tensors.get(name)!.shape as [number, number];
    add(name, 'I8', [inWidth, outWidth]);
    add(scaleOf(name), 'F32', [outWidth]);
  }
  const json = new TextEncoder().encode(JSON.stringify(entries));
  const padded = new Uint8Array(8 + Math.ceil(json.length / 8) * 8).fill(32);
  new DataView(padded.buffer).setBigUint64(0, BigInt(padded.length - 8), true);
  padded.set(json, 8);
  return padded;
}

/** `weight` [O, I] → `quantized` int8 [I, O] and `scale` [O]. */
function quantizer(files: ModelFiles, name: string): Graph {
  const graph = new Graph();
  const isHalf = files.tensors.get(name)!.dtype === 'F16';
  const weight = op.cast(graph.input('weight', isHalf ? 'float16' : 'float32', ['O', 'I']), 'float32');
  const type = 'float32' as const;
  const magnitudes = graph.node('Abs', [weight], { type, shape: weight.shape });
  const largest = graph.node('ReduceMax', [magnitudes, graph.integers([1])], { type, shape: ['O', 1] });
  // a row of zeros may have any scale but 0
  const scale = op.scale(
    graph.node('Max', [largest, graph.scalar(1e-30)], { type, shape: ['O', 1] }),
    1 / 127,
  );
  const rounded = graph.node('Round', [op.divide(weight, scale)], { type, shape: weight.shape });
  graph.output('quantized', op.transpose(op.cast(rounded, 'int8'), [1, 0]));
  graph.output('scale', op.reshape(scale, ['O']));
  return graph;
}

async function quantize(files: ModelFiles, session: Session, name: string): Promise<Record<string, Value>> {
  const place = files.locate(name);
  if (!place) return session.run({ weight: { type: 'float32', ...files.read(name) } });
  const types = { F32: 'float32', F16: 'float16', BF16: 'bfloat16' } as const;
  const { shape, path: file, offset, length } = place;
  const type = types[place.dtype as keyof typeof types];
  const weight = await session.load({ type, shape, file, offset, length });
  try {
    return (await session.runKeeping({ weight }, [])).values;
  } finally {
    session.release([weight]);
  }
}

const bytesOf = ({ data }: Value): Uint8Array =>
  new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
