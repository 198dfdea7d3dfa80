/** What the programs of this folder compute with: a student, and one row of a wanted length. */
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { asInstructBlip, int8ModelFiles, openModelFiles, type ModelFiles } from '@emac/backbone';
import { Random, type Features, type Frame } from '@emac/core';
import {
  createProjection,
  createStudent,
  loadTensorflow,
  type Student,
  type StudentOptions,
} from '@emac/model';

export const target = ' go to cabinet 1';

/** One token a character; beside the text there are the begin of the text, the target and its end. */
export function textOf(tokens: number): string {
  return 'a'.repeat(tokens - target.length - 4) + '\n>';
}

/** The model as stored, or with its layers in eight bits, whose copy lies in `cache`. */
export async function openWeights(
  folder: string,
  { weights, cache }: { readonly weights: string; readonly cache: string },
): Promise<ModelFiles> {
  const stored = openModelFiles(folder);
  if (weights !== 'int8') return stored;
  // stands for the hash of all weights, which takes a while
  const identity = createHash('sha256').update(resolve(folder)).digest('hex');
  return int8ModelFiles(stored, { identity, folder: cache });
}

/** A student with a fresh linear projection. */
export async function openStudent(
  checkpoint: ModelFiles,
  options: Pick<StudentOptions, 'generation' | 'layers' | 'activations' | 'threads'>,
): Promise<Student> {
  const { tf } = await loadTensorflow('auto');
  const { qformer, llama } = asInstructBlip(checkpoint).config;
  const projection = createProjection(tf, {
    kind: 'linear',
    inputWidth: qformer.hiddenSize,
    outputWidth: llama.hiddenSize,
    parameters: Random.fromSeed('projection'),
  });
  return createStudent({ model: checkpoint, identity: 'measured', projection, ...options });
}

export function randomFrame(seed: string): Frame {
  const random = Random.fromSeed(seed);
  const data = Uint8Array.from({ length: 3 * 300 * 300 }, () => random.integer(256));
  return { width: 300, height: 300, data };
}

export function randomFeatures(files: ModelFiles): Features {
  const { config } = asInstructBlip(files);
  const random = Random.fromSeed('features');
  const length = config.queryTokens * config.qformer.hiddenSize;
  return { key: 'random', data: Float32Array.from({ length }, () => random.normal()) };
}
