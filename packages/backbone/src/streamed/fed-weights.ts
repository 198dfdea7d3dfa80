/**
 * The language model with two layers and weights fed at run time: the first layer stands for every layer but the last,
 * the second for the last. Half-precision weights are fed as stored and become float32 in the graph, each right before
 * its use.
 */
import { EmacError } from '@emac/core';
import { op, type DataType, type Graph, type Tensor } from '@emac/graph';

import type { ModelFiles } from '../files/model-files.ts';
import type { InstructBlipConfig, ModelConfig } from '../files/model-config.ts';
import { isHeld, type StoredTensor } from '../files/tensor-table.ts';
import type { Weights } from '../networks/weights.ts';
import { isAdapterInput, type AdapterForm } from '../networks/adapter.ts';
import { scaleOf } from './int8-weights.ts';

/** The part of a model that a network's builder uses. */
export interface NetworkModel extends Pick<ModelFiles, 'config' | 'weights'> {
  /** the network's adapter inputs; default none */
  readonly adapter?: AdapterForm | null;
}

export const embeddingTable = 'language_model.model.embed_tokens.weight';
export const headWeight = 'language_model.lm_head.weight';

export function twoLayerModel(files: ModelFiles, adapter: AdapterForm | null): NetworkModel {
  const config = withLayers(files.config, 2);
  return { config, adapter, weights: (graph) => fedWeights(graph, files, config) };
}

/** The vision encoder with a vision model of two layers. */
export function twoLayerEye(files: ModelFiles<InstructBlipConfig>): ModelFiles<InstructBlipConfig> {
  const config = { ...files.config, vision: { ...files.config.vision, layers: 2 } };
  const last = files.config.vision.layers - 1;
  const names = [...files.tensors.keys()].filter((name) => !name.startsWith('language_'));
  return { ...files, config, weights: (graph) => fedTensors(graph, files, { names, last }) };
}

/** Whether a graph input is a weight. */
export const isFedWeight = (input: string): boolean =>
  /^(language_model|vision_model|qformer)\.|^query_tokens$/.test(input) &&
  input !== embeddingTable &&
  !isAdapterInput(input);

/** The name in layer `to` of a weight of layer `from`; other names stay. */
export function inLayer(name: string, from: number, to: number): string {
  return name.replace(`.layers.${from}.`, `.layers.${to}.`);
}

/** The embedding table has only the rows of a run, and `tokens` are indices into these (`embedding-rows.ts`). */
function fedWeights(graph: Graph, files: ModelFiles, config: ModelConfig): Weights {
  const table = graph.input(embeddingTable, 'float32', ['E', config.llama.hiddenSize]);
  const names = [...files.family.tensors(config, { text: true }).keys(), headWeight].filter(
    (name) => name.startsWith('language_model.') && name !== embeddingTable,
  );
  const weights = fedTensors(graph, files, { names, last: files.config.llama.layers - 1 });
  return (name) => (name === embeddingTable ? table : weights(name));
}

/**
 * Tensors as inputs, under their names in a model of two layers; the second layer is the `last`. Casts come before all
 * other nodes: of two operands, ONNX Runtime runs the one created first last. So a weight's cast follows its other
 * operand, and one float32 copy lives at a time.
 */
function fedTensors(
  graph: Graph,
  files: ModelFiles,
  { names, last }: { readonly names: readonly string[]; readonly last: number },
): Weights {
  const fed = new Map<string, Tensor>();
  for (const name of names) {
    if (fed.has(name) || /\.layers\.([2-9]|\d\d+)\./.test(name)) continue;
    const tensor = stored(files, inLayer(name, 1, last));
    const input = graph.input(name, fedType(tensor), tensor.shape);
    fed.set(name, input.type === 'int8' ? dequantized(input) : op.cast(input, 'float32'));
  }
  return (name) => {
    const weight = fed.get(name);
    if (!weight) throw new EmacError('internal', `layered: ${name} is not a fed weight`);
    return weight;
  };
}

function stored({ tensors, config }: ModelFiles, name: string): StoredTensor {
  return tensors.get(name === headWeight && config.llama.tiedHead ? embeddingTable : name)!;
}

/** int8 [in, out] as float32 [out, in]; products with it can be integer products (`int8Products`). */
function dequantized(input: Tensor): Tensor {
  const { graph, shape } = input;
  const scale = graph.input(scaleOf(input.name), 'float32', [shape[1]!]);
  const attributes = { axis: 1 };
  return op.transpose(
    graph.node('DequantizeLinear', [input, scale], { type: 'float32', shape }, { attributes }),
    [1, 0],
  );
}

/** ONNX Runtime's binding takes no bfloat16, so bfloat16 is widened on reading. */
function fedType(tensor: StoredTensor): DataType {
  if (tensor.dtype === 'I8') return 'int8';
  return tensor.dtype === 'F16' && !isHeld(tensor) ? 'float16' : 'float32';
}

/** Each layer adds features where the first ones do; feeds hold zeros for the others, and say which layers have a window. */
function withLayers(config: ModelConfig, layers: number): ModelConfig {
  const { deepLayers, windowLayers } = config.llama;
  const kinds = {
    ...(deepLayers && { deepLayers: layers }),
    ...(windowLayers && { windowLayers: 'fed' as const }),
  };
  return { ...config, llama: { ...config.llama, layers, ...kinds } };
}

/** Errors: `data` if layers store their weights in different types. */
export function checkAlike(files: ModelFiles): void {
  const { config, folder, tensors } = files;
  const isInstructBlip = files.family.name === 'instructblip';
  const counts = {
    language_model: config.llama.layers,
    ...(isInstructBlip && { vision_model: (config as InstructBlipConfig).vision.layers }),
  };
  for (const [part, layers] of Object.entries(counts))
    for (const name of [...tensors.keys()].filter(
      (each) => each.startsWith(part) && each.includes('.layers.0.'),
    ))
      for (let layer = 1; layer < layers; layer++) {
        const [one, other] = [stored(files, name), stored(files, inLayer(name, 0, layer))];
        if (fedType(one) !== fedType(other))
          throw new EmacError(
            'data',
            `${folder}: layers computed one by one must have the same types, ${one.name} is ${one.dtype}, ${other.name} ${other.dtype}; keep them resident`,
          );
      }
}
