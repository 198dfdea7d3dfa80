/**
 * A model folder in InstructBLIP layout, opened without reading its weights: sizes, where every tensor lies,
 * and the weights as graph tensors that point into the files. Shapes are checked against the configuration;
 * the vocabulary is what the embedding table has rows for, since published configurations disagree with it.
 * Departure: weights stored as F16 or BF16 are cast to float32 in the graph.
 */
import { EmacError } from '@emac/core';
import { readFloat32, type Dtype, type TensorInfo } from '@emac/files';
import { op, type DataType, type Graph, type Tensor } from '@emac/graph';

import { expectedTensors, type ExpectedShape } from './expected-tensors.ts';
import { readModelConfig, type ModelConfig } from './model-config.ts';
import { openWeightFiles, type WeightFiles } from './weight-files.ts';
import type { Weights } from './weights.ts';

export interface Checkpoint {
  readonly folder: string;
  readonly config: ModelConfig;
  /** V, rows of the token embedding */
  readonly vocabulary: number;
  readonly files: WeightFiles;
  /** the tensors as float32 values of a graph, in place from the files; errors: `data` for an unknown name */
  weights(graph: Graph): Weights;
  /** one tensor's values as float32 */
  read(name: string): { readonly shape: readonly number[]; readonly data: Float32Array };
}

const embedding = 'language_model.model.embed_tokens.weight';
const head = 'language_model.lm_head.weight';
const types: Partial<Record<Dtype, DataType>> = { F32: 'float32', F16: 'float16', BF16: 'bfloat16' };

/** Opens a folder. Errors: `missing`, `config`, `data` (a tensor that is absent or has another shape or type). */
export function openCheckpoint(folder: string): Checkpoint {
  const config = readModelConfig(folder);
  const files = openWeightFiles(folder);
  const infoOf = (name: string): TensorInfo & { path: string } => {
    const file = files.fileOf.get(name);
    const info = file?.tensors.get(name);
    if (!file || !info)
      throw new EmacError('data', `${folder}: has no tensor ${name}; is it an InstructBLIP checkpoint?`);
    return { ...info, path: file.path };
  };
  for (const [name, shape] of expectedTensors(config)) check(infoOf(name), { shape, folder });
  const vocabulary = infoOf(embedding).shape[0]!;
  if (!config.llama.tiedHead) check(infoOf(head), { shape: [vocabulary, null], folder });
  const stored = (name: string): string => (config.llama.tiedHead && name === head ? embedding : name);
  return {
    folder,
    config,
    vocabulary,
    files,
    weights: (graph) => (name) => placed(graph, infoOf(stored(name))),
    read: (name) => {
      const { shape } = infoOf(stored(name));
      return { shape, data: readFloat32(files.fileOf.get(stored(name))!, stored(name)) };
    },
  };
}

function check(info: TensorInfo, { shape, folder }: { shape: ExpectedShape; folder: string }): void {
  const fits =
    shape.length === info.shape.length &&
    shape.every((size, axis) => size === null || size === info.shape[axis]);
  const wanted = shape.map((size) => size ?? 'V').join(', ');
  if (!fits)
    throw new EmacError(
      'data',
      `${folder}: ${info.name} must be [${wanted}] by config.json, got [${info.shape.join(', ')}]; configuration and weights do not belong together`,
    );
  if (!types[info.dtype])
    throw new EmacError('data', `${folder}: ${info.name} must be F32, F16 or BF16, got ${info.dtype}`);
}

function placed(graph: Graph, info: TensorInfo & { path: string }): Tensor {
  const { name, shape, offset, length } = info;
  const external = graph.external(name, types[info.dtype]!, { shape, file: info.path, offset, length });
  return external.type === 'float32'
    ? external
    : graph.memo(`float32 ${name}`, () => op.cast(external, 'float32'));
}
