/**
 * The language model with two layers, whose weights are fed at run time: its first layer stands for every layer but
 * the last, its second for the last. Half-precision weights are fed as they are stored and become float32 in the
 * graph, each right before its use.
 */
import { EmacError } from '@emac/core';
import { op, type DataType, type Graph, type Tensor } from '@emac/graph';

import type { Checkpoint } from '../checkpoint.ts';
import { expectedTensors } from '../expected-tensors.ts';
import type { ModelConfig } from '../model-config.ts';
import { isHeld, type StoredTensor } from '../tensor-table.ts';
import type { Weights } from '../weights.ts';

/** What a builder of networks needs of a model. */
export type NetworkModel = Pick<Checkpoint, 'config' | 'weights'>;

export const embeddingTable = 'language_model.model.embed_tokens.weight';
export const headWeight = 'language_model.lm_head.weight';
const prefix = 'language_model.';

export function twoLayerModel(checkpoint: Checkpoint): NetworkModel {
  const config = withLayers(checkpoint.config, 2);
  return { config, weights: (graph) => fedWeights(graph, checkpoint, config) };
}

/** Whether an input of a graph is a weight. */
export const isFedWeight = (input: string): boolean => input.startsWith(prefix) && input !== embeddingTable;

/** The name of a weight of layer `from` in layer `to`; other names stay. */
export function inLayer(name: string, from: number, to: number): string {
  return name.replace(`.layers.${from}.`, `.layers.${to}.`);
}

/**
 * The embedding table has only the rows that a run needs, and `tokens` count among those (`embedding-rows.ts`). Casts
 * come before all other nodes because ONNX Runtime runs, of two operands, the one that was made first last: the cast
 * of a weight then follows what it is multiplied with, and one float32 copy lives at a time.
 */
function fedWeights(graph: Graph, checkpoint: Checkpoint, config: ModelConfig): Weights {
  const { layers } = checkpoint.config.llama;
  const fed = new Map<string, Tensor>();
  fed.set(embeddingTable, graph.input(embeddingTable, 'float32', ['E', config.llama.hiddenSize]));
  for (const name of [...expectedTensors(config).keys(), headWeight]) {
    if (!name.startsWith(prefix) || fed.has(name)) continue;
    const tensor = stored(checkpoint, inLayer(name, 1, layers - 1));
    fed.set(name, op.cast(graph.input(name, fedType(tensor), tensor.shape), 'float32'));
  }
  return (name) => {
    const weight = fed.get(name);
    if (!weight) throw new EmacError('internal', `layered: ${name} is no weight of the language model`);
    return weight;
  };
}

function stored({ tensors, config }: Checkpoint, name: string): StoredTensor {
  return tensors.get(name === headWeight && config.llama.tiedHead ? embeddingTable : name)!;
}

/** ONNX Runtime's binding takes no bfloat16, so that is widened when it is read. */
function fedType(tensor: StoredTensor): DataType {
  return tensor.dtype === 'F16' && !isHeld(tensor) ? 'float16' : 'float32';
}

function withLayers(config: ModelConfig, layers: number): ModelConfig {
  return { ...config, llama: { ...config.llama, layers } };
}

/** Errors: `data` where a layer's weights are stored in other types than the first layer's. */
export function checkAlike(checkpoint: Checkpoint): void {
  const { config, folder } = checkpoint;
  const first = [...expectedTensors(withLayers(config, 1)).keys()].filter((name) => name.includes('model.layers.0.'));
  for (let layer = 1; layer < config.llama.layers; layer++)
    for (const name of first) {
      const [one, other] = [stored(checkpoint, name), stored(checkpoint, inLayer(name, 0, layer))];
      if (fedType(one) !== fedType(other))
        throw new EmacError(
          'data',
          `${folder}: layers computed one by one must have the same types, ${one.name} is ${one.dtype}, ${other.name} ${other.dtype}; keep them resident`,
        );
    }
}
