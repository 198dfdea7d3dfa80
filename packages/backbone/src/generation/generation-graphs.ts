/**
 * The graphs of generation: `prefill` reads prompts once and returns their keys and values, `piece` reads on after those of a prompt's
 * beginning; `decode` adds one token to every beam of every prompt. Prompts of different lengths share a run: the text is padded on the left, between the
 * visual tokens and the text. Padding is masked and has no position. All sizes may change from run to run.
 */
import { addDimensions, Graph, op, type Shape, type Tensor } from '@emac/graph';

import { adapterInputs, type AdapterForm } from '../networks/adapter.ts';
import { hiddenScore, withinWindow, type Window } from '../networks/attention-bias.ts';
import { maskOf, masksOf, type Masks } from '../networks/layer-kinds.ts';
import { llama, llamaLayers, scoreScale, type KeysAndValues } from '../networks/llama.ts';
import type { LlamaConfig } from '../files/model-config.ts';
import { deepInputs } from '../networks/deep-stack.ts';
import { sharedPrefixAttention } from '../networks/shared-prefix-attention.ts';
import { embedTokens, languageModelHead, placed, seesPictures } from '../networks/tokens.ts';
import type { Weights } from '../networks/weights.ts';

export interface LlamaModel {
  readonly config: LlamaConfig;
  readonly weights: (graph: Graph) => Weights;
  /** adapters of its prompts; default none */
  readonly adapter?: AdapterForm | null;
}

/** Generation has no dropout. */
function adapters(graph: Graph, { adapter }: LlamaModel) {
  return adapterInputs(graph, adapter && { ...adapter, dropout: false });
}

export interface GenerationGraphOptions {
  /** scores come with the best tokens of every beam */
  readonly ranked: boolean;
}

/**
 * `visual` [B, N, D] (no such input for models that read text alone: N is 0), `tokens` int64 [B, L], `positions` int64 [B, N + L] (three axes: [3, B, N + L]) and `segments` int64
 * [B, N + L] (−1 padding, else 0); if visual tokens stand inside the text, also their `places` int64 [B, N + L]
 * (`placed`); with a deep stack also `deep_l` [B, N, D]; with adapters, also their inputs (`adapterInputs`) → scores after the last token (`nameScores`, one beam),
 * `key_l` and `value_l` [B, Hkv, N + L, d] for every layer l.
 */
export function prefillGraph(model: LlamaModel, options: GenerationGraphOptions): Graph {
  const { config, weights: weightsOf } = model;
  const graph = new Graph();
  const weights = weightsOf(graph);
  const { length, ...prompts } = tokensAndPositions(graph, weights, config);
  const segments = graph.input('segments', 'int64', ['B', length]);
  const outputs = llama(weights, config, {
    ...prompts,
    ...masksOf(config, prompts.positionIds, (window) => promptBias(segments, window)),
    positions: 'last',
    adapt: adapters(graph, model),
  });
  nameScores(languageModelHead(weights, outputs.hidden), options);
  nameCache(graph, outputs);
  return graph;
}

/** The inputs that say what stands where. */
function tokensAndPositions(graph: Graph, weights: Weights, config: LlamaConfig) {
  const visual = seesPictures(config)
    ? graph.input('visual', 'float32', ['B', 'N', config.hiddenSize])
    : null;
  const tokens = graph.input('tokens', 'int64', ['B', 'L']);
  const words = embedTokens(weights, config, tokens);
  const length = visual ? addDimensions('N', 'L') : 'L';
  const places = config.visualTokens === 'within' ? graph.input('places', 'int64', ['B', length]) : undefined;
  const axes = config.rotarySections ? [config.rotarySections.length] : [];
  const positionIds = graph.input('positions', 'int64', [...axes, 'B', length]);
  const deep = visual ? deepInputs(graph, config, { visual: visual.shape, words: words.shape, places }) : [];
  return { embeddings: placed(visual, words, places), positionIds, length, deep };
}

/**
 * The next piece of prompts. Inputs of `prefillGraph` for the piece alone, with `bias` [B, 1, N + L, C + N + L] (and `window_bias`, where some layers have a window) for `segments`; `past_key_l`,
 * `past_value_l` [B, Hkv, R, d] of which the first `kept` int64 [1] positions are read, C of them → scores after the piece's last token,
 * `key_l` and `value_l` [B, Hkv, C + N + L, d].
 */
export function pieceGraph(model: LlamaModel, options: GenerationGraphOptions): Graph {
  const { config, weights: weightsOf } = model;
  const graph = new Graph();
  const weights = weightsOf(graph);
  const { length, ...piece } = tokensAndPositions(graph, weights, config);
  const kept = graph.input('kept', 'int64', [1]);
  const { keyValueHeads, headSize, layers } = config;
  const beginning = (name: string) => {
    const past = graph.input(`past_${name}`, 'float32', ['B', keyValueHeads, 'R', headSize]);
    const shape = ['B', keyValueHeads, 'C', headSize];
    const [start, axis] = [graph.integers([0]), graph.integers([2])];
    return graph.node('Slice', [past, start, kept, axis], { type: 'float32', shape });
  };
  const ofLayers = (name: string) =>
    Array.from({ length: layers }, (_, layer) => beginning(`${name}_${layer}`));
  const outputs = llama(weights, config, {
    ...piece,
    ...biasInputs(graph, config, ['B', 1, length, addDimensions('C', length)]),
    past: { keys: ofLayers('key'), values: ofLayers('value') },
    positions: 'last',
    adapt: adapters(graph, model),
  });
  nameScores(languageModelHead(weights, outputs.hidden), options);
  nameCache(graph, outputs);
  return graph;
}

/** `bias`, and `window_bias` where some layers have a window. */
function biasInputs(graph: Graph, { windowLayers }: LlamaConfig, shape: Shape): Masks {
  const mask = graph.input('bias', 'float32', shape);
  return windowLayers ? { mask, windowMask: graph.input('window_bias', 'float32', shape) } : { mask };
}

/** 0 for places up to a position's own, except padding and places before the window; else far below any score: [B, 1, S, S]. */
function promptBias(segments: Tensor, window?: Window): Tensor {
  const { graph } = segments;
  const [batch, length] = segments.shape as [string, string];
  const hidden = graph.scalar(hiddenScore);
  const index = op.range(segments, 1);
  const isEarlier = op.lessOrEqual(
    op.reshape(index, [1, 1, 1, length]),
    op.reshape(index, [1, 1, length, 1]),
  );
  const isBefore = window ? op.and(isEarlier, withinWindow(window)) : isEarlier;
  const ofPlaces = op.where(op.less(segments, graph.scalar(0, 'int64')), hidden, graph.scalar(0));
  return op.where(isBefore, op.reshape(ofPlaces, [batch, 1, 1, length]), hidden);
}

/**
 * Inputs: `tokens` and `positions` int64 [B, K]; the prompts' `prompt_key_l`, `prompt_value_l`; the beams' earlier
 * tokens `past_key_l`, `past_value_l` [B, Hkv, R, d]; `live` int32 [B, Hkv, S], the rows to keep of B·Hkv·R; `bias` [B,
 * 1, Q, P + S + K] for `sharedPrefixAttention`, and `window_bias` where some layers have a window → scores (`nameScores`), `key_l`, `value_l` [B, Hkv, S + K, d].
 */
export function decodeGraph(model: LlamaModel, options: GenerationGraphOptions): Graph {
  const { config, weights: weightsOf } = model;
  const graph = new Graph();
  const weights = weightsOf(graph);
  const { keyValueHeads, headSize } = config;
  const tokens = graph.input('tokens', 'int64', ['B', 'K']);
  const positionIds = graph.input('positions', 'int64', ['B', 'K']);
  const live = graph.input('live', 'int32', ['B', keyValueHeads, 'S']);
  const queryRows = config.heads === keyValueHeads ? 'K' : 'Q';
  const biases = biasInputs(graph, config, ['B', 1, queryRows, 'P+S+K']);
  const promptOf = (name: string) =>
    graph.input(`prompt_${name}`, 'float32', ['B', keyValueHeads, 'P', headSize]);
  const ownOf = (name: string, added: Tensor) => {
    const past = graph.input(`past_${name}`, 'float32', ['B', keyValueHeads, 'R', headSize]);
    const rows = graph.node('Reshape', [past, graph.integers([-1, headSize])], {
      type: 'float32',
      shape: ['BHR', headSize],
    });
    return op.concat([op.gather(rows, live), added], 2);
  };
  const cache: { keys: Tensor[]; values: Tensor[] } = { keys: [], values: [] };
  const hidden = llamaLayers(weights, config, {
    embeddings: embedTokens(weights, config, tokens),
    positionIds,
    adapt: adapters(graph, model),
    attend: ({ query, key, value }, layer) => {
      const [keyName, valueName] = [`key_${layer}`, `value_${layer}`];
      const prompt = { key: promptOf(keyName), value: promptOf(valueName) };
      const own = { key: ownOf(keyName, key), value: ownOf(valueName, value) };
      cache.keys.push(own.key);
      cache.values.push(own.value);
      const bias = maskOf(config, biases, layer)!;
      return sharedPrefixAttention({ query, prompt, own, bias, scale: scoreScale(config) });
    },
  });
  nameScores(languageModelHead(weights, hidden), options);
  nameCache(graph, cache);
  return graph;
}

/**
 * Outputs `logits` [B, K, V] and, ranked, the `count` int64 [1] best tokens of every beam: `best_tokens` int64 and
 * `best_log_probabilities`, [B, K, min(count, V)]. They are chosen by logit, because rounding of the logarithm could
 * create ties.
 */
function nameScores(logits: Tensor, { ranked }: GenerationGraphOptions): void {
  const { graph } = logits;
  graph.output('logits', logits);
  if (!ranked) return;
  const [batch, beams, vocabulary] = logits.shape as [string, string, number];
  const count = graph.node('Min', [graph.input('count', 'int64', [1]), graph.integers([vocabulary])], {
    type: 'int64',
    shape: [1],
  });
  const shape = [batch, beams, 'C'];
  const [, tokens] = graph.nodeWithOutputs(
    'TopK',
    [logits, count],
    [
      { type: 'float32', shape },
      { type: 'int64', shape },
    ],
    { attributes: { axis: -1 } },
  );
  const logProbabilities = graph.node(
    'GatherElements',
    [op.logSoftmax(logits), tokens!],
    { type: 'float32', shape },
    { attributes: { axis: 2 } },
  );
  graph.output('best_tokens', tokens!);
  graph.output('best_log_probabilities', logProbabilities);
}

function nameCache(graph: Graph, { keys, values }: KeysAndValues): void {
  keys.forEach((key, layer) => graph.output(`key_${layer}`, key));
  values.forEach((value, layer) => graph.output(`value_${layer}`, value));
}
