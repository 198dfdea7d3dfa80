/**
 * A model opened without reading its weights: sizes, the place of every tensor, and weights as graph tensors that point
 * into the files. Shapes are checked against the configuration. The vocabulary is the number of rows of the embedding
 * table, since published configurations disagree with it. Departure: weights stored as F16 or BF16 are cast to float32
 * in the graph.
 */
import { EmacError } from '@emac/core';
import type { Dtype } from '@emac/files';
import { op, type DataType, type Graph, type Tensor } from '@emac/graph';

import type { Family, FamilyFiles } from '../families/family.ts';
import type { ExpectedShape } from './expected-tensors.ts';
import type { ModelConfig } from './model-config.ts';
import { openModelSource } from './open-model-source.ts';
import { isHeld, valuesOf, type StoredTensor, type TensorPlace, type TensorTable } from './tensor-table.ts';

export interface ModelFiles<Config extends ModelConfig = ModelConfig> extends FamilyFiles<Config> {
  readonly family: Family<Config>;
  /** V, rows of the token embedding */
  readonly vocabulary: number;
  /** every tensor that the networks read, by our name (for InstructBLIP Hugging Face's); other tensors of a file are not listed */
  readonly tensors: TensorTable;
  /**
   * Where a tensor lies in a file, as stored; null for a few small ones that are put together (`read` has their
   * values). Errors: `data` for an unknown name.
   */
  locate(name: string): TensorPlace | null;
  /** one tensor's values as float32 */
  read(name: string): { readonly shape: readonly number[]; readonly data: Float32Array };
}

const embedding = 'language_model.model.embed_tokens.weight';
const head = 'language_model.lm_head.weight';
const types: Partial<Record<Dtype, DataType>> = { F32: 'float32', F16: 'float16', BF16: 'bfloat16' };

/**
 * Opens a model's folder, or the JSON file of a composed model. Errors: `missing`, `config`, `data` (a tensor is absent
 * or has another shape or type).
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

type Parts = Pick<
  ModelFiles,
  'folder' | 'family' | 'config' | 'vocabulary' | 'companions' | 'tensors' | 'maxPixels'
>;

/** A model from parts that belong together. */
export function modelFilesOf(parts: Parts): ModelFiles {
  const { folder, family, config, vocabulary, companions, tensors, maxPixels } = parts;
  const tensorOf = (name: string): StoredTensor =>
    found(tensors, config.llama.tiedHead && name === head ? embedding : name, { folder, family });
  return {
    folder,
    family,
    config,
    vocabulary,
    companions,
    tensors,
    ...(maxPixels !== undefined && { maxPixels }),
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
