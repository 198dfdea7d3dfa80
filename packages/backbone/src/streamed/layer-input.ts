/** Where a graph of the language model or the vision encoder can be cut into layers. */
import { EmacError } from '@emac/core';
import type { Graph, Tensor } from '@emac/graph';

/** First norms of a layer, by network. */
const firstNorms = {
  language: (layer: number) => `language_model.model.layers.${layer}.input_layernorm.weight`,
  vision: (layer: number) => `vision_model.encoder.layers.${layer}.layer_norm1.weight`,
};

/** The input [B, S, D] of a layer: the operand of its first norm. */
export function layerInput(
  graph: Graph,
  layer: number,
  network: keyof typeof firstNorms = 'language',
): Tensor {
  const weight = firstNorms[network](layer);
  const names = new Set([weight]);
  for (const node of graph.nodes) {
    const [value, second] = node.inputs;
    // a norm's weight may be cast, or get one added
    if ((node.type === 'Cast' || node.type === 'Add') && names.has(value!.name))
      names.add(node.outputs[0]!.name);
    else if (second && names.has(second.name)) return value!;
  }
  throw new EmacError('internal', `layered: no node reads ${weight}`);
}
