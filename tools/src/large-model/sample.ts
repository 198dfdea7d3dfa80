/** Shared inputs of this folder's programs: a student, and one row of a given length. */
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import {
  adapterTargets,
  asInstructBlip,
  int8ModelFiles,
  openModelFiles,
  type ModelFiles,
} from '@emac/backbone';
import { Random, type Features, type Frame } from '@emac/core';
import {
  createProjection,
  createStudent,
  drawnAdapter,
  loadTensorflow,
  type Student,
  type StudentOptions,
} from '@emac/model';

export const target = ' go to cabinet 1';

/** A text that gives prompt, target and end so many tokens, at one token per character. */
export function textOf(
  tokens: number,
  student: Pick<Student, 'countPromptTokens' | 'countAnswerTokens'>,
): string {
  const end = '\n>';
  return 'a'.repeat(tokens - student.countPromptTokens(end) - student.countAnswerTokens(target)) + end;
}

/** The model as stored, or with its layers in eight bits, copied to `cache`. */
export async function openWeights(
  folder: string,
  { weights, cache }: { readonly weights: string; readonly cache: string },
): Promise<ModelFiles> {
  const stored = openModelFiles(folder);
  if (weights !== 'int8') return stored;
  // replaces the hash of all weights, which is slow
  const identity = createHash('sha256').update(resolve(folder)).digest('hex');
  return int8ModelFiles(stored, { identity, folder: cache });
}

export interface StudentChoices extends Pick<
  StudentOptions,
  'generation' | 'layers' | 'activations' | 'threads'
> {
  /** default the projection */
  readonly train?: 'projection' | 'lora' | 'projection,lora';
  /** of a new adapter on every projection of the language model, if one is trained */
  readonly rank?: number;
}

/** A student with a fresh projection of the shape that the model's own has. */
export async function openStudent(
  checkpoint: ModelFiles,
  { train = 'projection', rank = 8, ...options }: StudentChoices,
): Promise<Student> {
  const { tf } = await loadTensorflow('auto');
  const { family, config, tensors } = checkpoint;
  const between = tensors.get('language_projection.0.weight')?.shape[0];
  const projection = createProjection(tf, {
    ...(between === undefined ? { kind: 'linear' } : { kind: 'mlp', hiddenWidth: between }),
    inputWidth: family.vision!.connector(checkpoint).inputWidth,
    outputWidth: config.llama.hiddenSize,
    parameters: Random.fromSeed('projection'),
  });
  const settings = { rank, alpha: 2 * rank, dropout: 0, targets: adapterTargets, rankStabilized: false };
  const parts = train.split(',').map((part) => (part === 'lora' ? 'adapter' : 'projection'));
  const adapter = parts.includes('adapter')
    ? drawnAdapter(config, settings, Random.fromSeed('adapter'))
    : null;
  return createStudent({
    model: checkpoint,
    identity: 'measured',
    projection,
    adapter,
    train: parts,
    ...options,
  });
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
