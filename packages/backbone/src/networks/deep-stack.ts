/**
 * Deep stack (Meng et al., arXiv 2406.04334, as in Qwen3-VL): beside its embedding a visual token has features that are added to the
 * output of the language model's first layers. They come from the frozen vision encoder, so no gradient is wanted for them.
 */
import { op, type Feeds, type Graph, type Shape, type Tensor } from '@emac/graph';

import type { LlamaConfig } from '../files/model-config.ts';
import { placed } from './tokens.ts';

type Stacked = Pick<LlamaConfig, 'hiddenSize' | 'deepLayers'>;

/** Name of the features of one layer, an input [B, N, D] of a graph. */
const deepName = (layer: number): string => `deep_${layer}`;

/** Numbers of a visual token for all layers. */
export function deepWidth({ hiddenSize, deepLayers = 0 }: Stacked): number {
  return deepLayers * hiddenSize;
}

/**
 * For each of the first layers what is added to its output, [B, N + L, D]: inputs of the graph at the places of visual tokens, zeros at
 * those of `words` [B, L, D]. Empty for models without a deep stack.
 */
export function deepInputs(
  graph: Graph,
  { hiddenSize, deepLayers = 0 }: Stacked,
  {
    visual,
    words,
    places,
  }: { readonly visual: Shape; readonly words: Shape; readonly places: Tensor | undefined },
): readonly Tensor[] {
  return Array.from({ length: deepLayers }, (_, layer) => {
    const zeros = op.expand(op.reshape(graph.scalar(0), [1, 1, 1]), [...words.slice(0, -1), hiddenSize]);
    return placed(graph.input(deepName(layer), 'float32', visual), zeros, places);
  });
}

/** Those inputs, from features of visual tokens [B, N, layers · D]. */
export function deepFeeds(
  config: Stacked,
  deep: Float32Array,
  [batch, count]: readonly [number, number],
): Feeds {
  const { hiddenSize, deepLayers = 0 } = config;
  const width = deepWidth(config);
  return Object.fromEntries(
    Array.from({ length: deepLayers }, (_, layer) => {
      const data = new Float32Array(batch * count * hiddenSize);
      for (let token = 0; token < batch * count; token++) {
        const start = token * width + layer * hiddenSize;
        data.set(deep.subarray(start, start + hiddenSize), token * hiddenSize);
      }
      return [deepName(layer), { type: 'float32', shape: [batch, count, hiddenSize], data }];
    }),
  );
}

/** The same feeds with zeros for the layers after them: networks of one layer add features in every layer. */
export function deepFeedsOfAll(
  { hiddenSize, deepLayers = 0, layers }: Stacked & Pick<LlamaConfig, 'layers'>,
  feeds: Feeds,
): Feeds {
  const first = feeds[deepName(0)];
  if (!first || deepLayers === 0) return feeds;
  const [batch, count] = first.shape as [number, number];
  const none = {
    type: 'float32' as const,
    shape: [batch, count, hiddenSize],
    data: new Float32Array(batch * count * hiddenSize),
  };
  const others = Array.from({ length: layers - deepLayers }, (_, place) => [
    deepName(deepLayers + place),
    none,
  ]);
  return { ...feeds, ...(Object.fromEntries(others) as Feeds) };
}

/** One layer's features, under the names of layer `as`. */
export function deepFeedsOfLayer(feeds: Feeds, layer: number, as: number): Feeds {
  const own = feeds[deepName(layer)];
  return own ? { [deepName(as)]: own } : {};
}
