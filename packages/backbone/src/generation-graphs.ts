/**
 * The two graphs of generation: `prefill` reads a prompt once and keeps its keys and values; `decode` adds one
 * token to every beam. Beams may split and die between steps, so a decode step first picks each beam's past
 * from its parent's. All lengths and the number of beams may change from run to run.
 */
import { Graph, op, type Tensor } from '@emac/graph';

import { causalBias } from './attention-bias.ts';
import { llama, llamaLayers, type KeysAndValues } from './llama.ts';
import type { LlamaConfig } from './model-config.ts';
import { sharedPrefixAttention } from './shared-prefix-attention.ts';
import { embedTokens, languageModelHead } from './tokens.ts';
import type { Weights } from './weights.ts';

export interface LanguageModel {
  readonly config: LlamaConfig;
  readonly weights: (graph: Graph) => Weights;
}

/**
 * `visual` [N, D] and `tokens` int64 [L] → `logits` [1, V] after the last one, `key_l` and `value_l`
 * [1, Hkv, N + L, d] for every layer l.
 */
export function prefillGraph({ config, weights: weightsOf }: LanguageModel): Graph {
  const graph = new Graph();
  const weights = weightsOf(graph);
  const visual = graph.input('visual', 'float32', ['N', config.hiddenSize]);
  const tokens = graph.input('tokens', 'int64', ['L']);
  const rows = op.concat([visual, embedTokens(weights, tokens)], 0);
  const length = rows.shape[0]!;
  const embeddings = op.reshape(rows, [1, length, config.hiddenSize]);
  const positionIds = op.reshape(op.range(rows, 0), [1, length]);
  const mask = causalBias(embeddings);
  const outputs = llama(weights, config, { embeddings, positionIds, mask, positions: 'last' });
  graph.output('logits', languageModelHead(weights, op.reshape(outputs.hidden, [1, config.hiddenSize])));
  nameCache(graph, outputs);
  return graph;
}

/**
 * `tokens`, `parents` int64 [K], `position` int64 [1], the prompt's `prompt_key_l`, `prompt_value_l`, and
 * `past_key_l`, `past_value_l` [K of the step before, Hkv, T, d] → `logits` [K, V], `key_l`, `value_l`
 * [K, Hkv, T + 1, d].
 */
export function decodeGraph({ config, weights: weightsOf }: LanguageModel): Graph {
  const graph = new Graph();
  const weights = weightsOf(graph);
  const tokens = graph.input('tokens', 'int64', ['K']);
  const parents = graph.input('parents', 'int64', ['K']);
  const position = graph.input('position', 'int64', [1]);
  const { keyValueHeads, headSize, hiddenSize } = config;
  const cache = (kind: string, layer: number) => ({
    prompt: graph.input(`prompt_${kind}_${layer}`, 'float32', [1, keyValueHeads, 'P', headSize]),
    past: op.gather(
      graph.input(`past_${kind}_${layer}`, 'float32', ['J', keyValueHeads, 'T', headSize]),
      parents,
    ),
  });
  const [keys, values]: [Tensor[], Tensor[]] = [[], []];
  const hidden = llamaLayers(weights, config, {
    embeddings: op.reshape(embedTokens(weights, tokens), ['K', 1, hiddenSize]),
    positionIds: op.expand(op.reshape(position, [1, 1]), ['K', 1]),
    attend: ({ query, key, value }, layer) => {
      const [keyCache, valueCache] = [cache('key', layer), cache('value', layer)];
      const own = { key: op.concat([keyCache.past, key], 2), value: op.concat([valueCache.past, value], 2) };
      keys[layer] = own.key;
      values[layer] = own.value;
      return sharedPrefixAttention({
        query,
        prompt: { key: keyCache.prompt, value: valueCache.prompt },
        own,
      });
    },
  });
  graph.output('logits', languageModelHead(weights, op.reshape(hidden, ['K', hiddenSize])));
  nameCache(graph, { keys, values });
  return graph;
}

function nameCache(graph: Graph, { keys, values }: KeysAndValues): void {
  keys.forEach((key, layer) => graph.output(`key_${layer}`, key));
  values.forEach((value, layer) => graph.output(`value_${layer}`, value));
}
