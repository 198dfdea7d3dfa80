/** Opening the model: its folder, its identity, and TensorFlow.js for the projection. */
import { existsSync, statSync } from 'node:fs';
import { modelIdentity, openCheckpoint, type Checkpoint } from '@emac/backbone';
import { EmacError, type Student } from '@emac/core';
import { modelFolder } from '@emac/emma-tiny';
import { createProjection, createStudent, loadTensorflow, type LoadedTensorflow } from '@emac/model';
import { noFrame } from '@emac/trainer';
import type { ComputeValues } from './model-options.ts';
import type { Speech } from './policy.ts';
import type { ProjectionStart } from './projection-start.ts';

export interface Model {
  readonly folder: string;
  readonly checkpoint: Checkpoint;
  /** SHA-256 of the frozen networks, as checkpoints record it */
  readonly identity: string;
  readonly tensorflow: LoadedTensorflow;
  readonly provider: ComputeValues['provider'];
}

/** The folder that a name stands for. Errors: `missing`, `usage` for a file. */
export function modelPath(name: string): string {
  const folder = name === 'emma-tiny' ? modelFolder : name;
  if (!existsSync(folder))
    throw new EmacError('missing', `model ${name}: ${folder} is not there; give emma-tiny or a model folder`);
  if (!statSync(folder).isDirectory())
    throw new EmacError('usage', `model ${name}: is a file; give a folder in InstructBLIP layout`);
  return folder;
}

/** Opens a model folder; errors: those of the folder, `unavailable` for a backend that is not there. */
export async function openModel(name: string, compute: ComputeValues): Promise<Model> {
  const folder = modelPath(name);
  const checkpoint = openCheckpoint(folder);
  const tensorflow = await loadTensorflow(compute['tf-backend']);
  return {
    folder,
    checkpoint,
    identity: await modelIdentity(folder),
    tensorflow,
    provider: compute.provider,
  };
}

/** What computes, in one line; why better backends are not in use is kept in the run's record. */
export function inUse({ tensorflow, provider }: Model): string {
  return `in use: ONNX Runtime ${provider}, TensorFlow.js ${tensorflow.note.split('; ')[0]}`;
}

/** A student with a projection of its own; the frozen weights are mapped, not copied. Errors: `data`, `unavailable`. */
export async function openStudent(
  model: Model,
  start: ProjectionStart,
  { generation, text }: Speech,
): Promise<Student> {
  const { config } = model.checkpoint;
  const projection = createProjection(model.tensorflow.tf, {
    kind: start.kind,
    inputWidth: config.qformer.hiddenSize,
    outputWidth: config.llama.hiddenSize,
    ...(start.hidden === null ? {} : { hiddenWidth: start.hidden }),
    parameters: start.parameters,
  });
  const { folder, provider, identity } = model;
  const student = await createStudent({
    ...{ model: folder, projection, generation, provider, identity },
    maxTextTokens: text.maxTokens,
  });
  // a provider that is not there shows only when a session opens, and that should be before anything is written
  if (provider !== 'cpu') await student.features(noFrame);
  return student;
}
