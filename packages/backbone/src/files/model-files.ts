/**
 * A model opened without reading its weights: sizes, where every tensor lies, and the weights as graph tensors that
 * point into the files. Shapes are checked against the configuration; the vocabulary is what the embedding table has
 * rows for, since published configurations disagree with it.
 * Departure: weights stored as F16 or BF16 are cast to float32 in the graph.
 */
import { EmacError } from '@emac/core';
import type { Dtype } from '@emac/files';
import { op, type DataType, type Graph, type Tensor } from '@emac/graph';

import type { Family } from '../families/family.ts';
import { asInstructBlip } from '../families/instructblip.ts';
import type { ExpectedShape } from './expected-tensors.ts';
import type { ModelConfig } from './model-config.ts';
import type { Companions } from './model-source.ts';
import { openModelSource } from './open-model-source.ts';
import { isHeld, valuesOf, type StoredTensor, type TensorPlace, type TensorTable } from './tensor-table.ts';
import type { Weights } from '../networks/weights.ts';

export interface ModelFiles<Config extends ModelConfig = ModelConfig> {
  /** what was opened: a folder, or the JSON file of a composed model */
  readonly folder: string;
  readonly family: Family<Config>;
  readonly config: Config;
  /** V, rows of the token embedding */
  readonly vocabulary: number;
  readonly companions: Companions;
  /** every tensor that the networks read, by its name here (for InstructBLIP Hugging Face's); those that a file holds beyond them are not listed */
  readonly tensors: TensorTable;
  /** the tensors as float32 values of a graph, in place from the files; errors: `data` for an unknown name */
  weights(graph: Graph): Weights;
  /**
   * Where a tensor lies in a file, as stored; null for the few small ones that no file holds as a whole (`read`
   * has their values). Errors: `data` for an unknown name.
   */
  locate(name: string): TensorPlace | null;
  /** one tensor's values as float32 */
  read(name: string): { readonly shape: readonly number[]; readonly data: Float32Array };
}

const embedding = 'language_model.model.embed_tokens.weight';
const head = 'language_model.lm_head.weight';
const types: Partial<Record<Dtype, DataType>> = { F32: 'float32', F16: 'float16', BF16: 'bfloat16' };

/**
 * Opens a model's folder, or the JSON file of a composed model. Errors: `missing`, `config`, `data` (a
 * tensor that is absent or has another shape or type).
 */
export function openModelFiles(folder: string): ModelFiles {
  const { family, config, tensors: all, companions, readsText } = openModelSource(folder);
  const tensors = new Map<string, StoredTensor>();
  for (const [name, shape] of family.tensors(config, { text: readsText })) {
    const tensor = found(all, name, { folder, family });
    check(tensor, { shape, folder });
    tensors.set(name, tensor);
  }
  const vocabulary = tensors.get(embedding)!.shape[0]!;
  if (!config.llama.tiedHead) check(tensors.get(head)!, { shape: [vocabulary, null], folder });
  return modelFilesOf({ folder, family, config, vocabulary, companions, tensors });
}

/** The same model with other values for its last vision norm, and another ε, in float32. Errors: `data` (shapes). */
export function withVisionNorm(files: ModelFiles, norm: VisionNorm): ModelFiles {
  const { folder, config } = asInstructBlip(files);
  const tensors = new Map(files.tensors);
  for (const part of ['weight', 'bias'] as const) {
    const name = `${visionNorm}.${part}`;
    const { shape } = tensors.get(name)!;
    const bytes = new Uint8Array(Float32Array.from(norm[part]).buffer);
    if (norm[part].length !== shape[0])
      throw new EmacError(
        'data',
        `${folder}: ${name} must have ${shape[0]} values, got ${norm[part].length}`,
      );
    tensors.set(name, { name, dtype: 'F32', shape, path: folder, bytes });
  }
  const vision = { ...config.vision, finalNormEpsilon: norm.epsilon };
  const changed = { ...config, vision };
  return modelFilesOf({ ...files, config: changed, tensors });
}

const visionNorm = 'vision_model.post_layernorm';

/** Parameters of the norm after the vision model's last layer, each [Dv]. */
export interface VisionNorm {
  readonly weight: Float32Array;
  readonly bias: Float32Array;
  readonly epsilon: number;
}

type Parts = Pick<ModelFiles, 'folder' | 'family' | 'config' | 'vocabulary' | 'companions' | 'tensors'>;

function modelFilesOf({ folder, family, config, vocabulary, companions, tensors }: Parts): ModelFiles {
  const tensorOf = (name: string): StoredTensor =>
    found(tensors, config.llama.tiedHead && name === head ? embedding : name, { folder, family });
  return {
    folder,
    family,
    config,
    vocabulary,
    companions,
    tensors,
    weights: (graph) => (name) => placed(graph, tensorOf(name)),
    locate: (name) => {
      const tensor = tensorOf(name);
      return isHeld(tensor) ? null : tensor;
    },
    read: (name) => {
      const tensor = tensorOf(name);
      return { shape: tensor.shape, data: valuesOf(tensor) };
    },
  };
}

function found(
  tensors: TensorTable,
  name: string,
  { folder, family }: Pick<ModelFiles, 'folder' | 'family'>,
): StoredTensor {
  const tensor = tensors.get(name);
  if (tensor) return tensor;
  throw new EmacError('data', `${folder}: has no tensor ${name}; is it ${family.title} model?`);
}

function check(tensor: StoredTensor, { shape, folder }: { shape: ExpectedShape; folder: string }): void {
  const fits =
    shape.length === tensor.shape.length &&
    shape.every((size, axis) => size === null || size === tensor.shape[axis]);
  const wanted = shape.map((size) => size ?? 'V').join(', ');
  if (!fits)
    throw new EmacError(
      'data',
      `${folder}: ${tensor.name} must be [${wanted}] by its configuration, got [${tensor.shape.join(', ')}]; configuration and weights do not belong together`,
    );
  if (!types[tensor.dtype])
    throw new EmacError('data', `${folder}: ${tensor.name} must be F32, F16 or BF16, got ${tensor.dtype}`);
}

function placed(graph: Graph, tensor: StoredTensor): Tensor {
  const { name, shape } = tensor;
  if (isHeld(tensor)) return graph.memo(`held ${name}`, () => graph.constant(valuesOf(tensor), shape));
  const { offset, length, path } = tensor;
  const external = graph.external(name, types[tensor.dtype]!, { shape, file: path, offset, length });
  return external.type === 'float32'
    ? external
    : graph.memo(`float32 ${name}`, () => op.cast(external, 'float32'));
}
