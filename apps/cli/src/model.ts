/** Opening the model: its files, its identity, and TensorFlow.js for the projection. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  int8ModelFiles,
  modelIdentity,
  openModelFiles,
  withVisionNorm,
  type ModelFiles,
} from '@emac/backbone';
import { EmacError, type Student } from '@emac/core';
import { modelFolder } from '@emac/emma-tiny';
import { isFolder, isThere } from '@emac/files';
import {
  createProjection,
  createStudent,
  loadTensorflow,
  type LoadedTensorflow,
  type StudentOptions,
} from '@emac/model';
import { noFrame } from '@emac/trainer';
import type { ComputeValues } from './model-options.ts';
import type { Speech } from './policy.ts';
import type { ProjectionStart } from './projection-start.ts';
import { identityWith } from './vision-norm.ts';

export interface Model {
  /** a folder, or the JSON file of a composed model */
  readonly folder: string;
  readonly checkpoint: ModelFiles;
  /** SHA-256 of the frozen networks, as checkpoints record it */
  readonly identity: string;
  readonly tensorflow: LoadedTensorflow;
  readonly provider: ComputeValues['provider'];
  readonly layers: ComputeValues['layers'];
  readonly activations: ComputeValues['activations'];
}

/** The path that a name stands for. Errors: `missing`, `usage` for a file that is no JSON. */
export function modelPath(name: string): string {
  const path = name === 'emma-tiny' ? modelFolder : name;
  if (!isThere(path))
    throw new EmacError(
      'missing',
      `model ${name}: ${path} is not there; give emma-tiny, a model folder, or a JSON file that names a model's parts`,
    );
  if (!isFolder(path) && !path.endsWith('.json'))
    throw new EmacError(
      'usage',
      `model ${name}: is a file; give a folder in InstructBLIP layout, or a JSON file that names a model's parts`,
    );
  return path;
}

/** Opens a model; errors: those of its files, `unavailable` for a backend that is not there. */
export async function openModel(name: string, compute: ComputeValues): Promise<Model> {
  const folder = modelPath(name);
  const stored = openModelFiles(folder);
  const { provider, layers, activations, weights } = compute;
  const tensorflow = await loadTensorflow(compute['tf-backend']);
  const identity = await modelIdentity(stored);
  const checkpoint =
    weights === 'int8' ? await int8ModelFiles(stored, { identity, folder: cacheFolder() }) : stored;
  return { folder, checkpoint, identity, tensorflow, provider, layers, activations };
}

/** Where copies of models are kept, by the XDG base directory specification. */
function cacheFolder(): string {
  const base = process.env['XDG_CACHE_HOME'];
  return join(base === undefined || base === '' ? join(homedir(), '.cache') : base, 'emac');
}

/** What computes, in one line; why better backends are not in use is kept in the run's record. */
export function inUse({ tensorflow, provider }: Model): string {
  return `in use: ONNX Runtime ${provider}, TensorFlow.js ${tensorflow.note.split('; ')[0]}`;
}

/** A student with a projection of its own; the frozen weights are mapped, not copied. Errors: `data`, `unavailable`. */
export async function openStudent(
  model: Model,
  start: ProjectionStart,
  { generation, text, savings }: Speech & Pick<StudentOptions, 'savings'>,
): Promise<Student> {
  const { config } = model.checkpoint;
  const projection = createProjection(model.tensorflow.tf, {
    kind: start.kind,
    inputWidth: config.qformer.hiddenSize,
    outputWidth: config.llama.hiddenSize,
    ...(start.hidden === null ? {} : { hiddenWidth: start.hidden }),
    parameters: start.parameters,
  });
  const { checkpoint, provider, identity, layers, activations } = model;
  const { visionNorm } = start;
  const student = await createStudent({
    model: visionNorm === null ? checkpoint : withVisionNorm(checkpoint, visionNorm),
    identity: identityWith(identity, visionNorm),
    ...{ projection, generation, provider, activations },
    ...(layers === 'auto' ? {} : { layers }),
    maxTextTokens: text.maxTokens,
    ...(savings && { savings }),
  });
  // a provider that is not there shows only when a session opens, and that should be before anything is written
  if (provider !== 'cpu') await student.features(noFrame);
  return student;
}
