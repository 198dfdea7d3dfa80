/**
 * The whole model as one graph: every stage of a comparison folder, and the gradient of the loss in the projection,
 * through the frozen language model.
 */
import { Graph, gradients, op, type Tensor } from '@emac/graph';

import {
  adapterGradient,
  adapterInputs,
  adapterWeightInputs,
  type AdapterForm,
} from '../networks/adapter.ts';
import { attentionBias } from '../networks/attention-bias.ts';
import type { InstructBlipConfig } from '../files/model-config.ts';
import type { ModelFiles } from '../files/model-files.ts';
import { llama } from '../networks/llama.ts';
import { qformer } from '../networks/qformer.ts';
import { embedTokens, languageModelHead, languageProjection } from '../networks/tokens.ts';
import { vision } from '../networks/vision.ts';
import type { Weights } from '../networks/weights.ts';

export interface ComparisonSizes {
  readonly batch: number;
  /** T, tokens of a row, image placeholders included */
  readonly length: number;
  /** Tq, text tokens for the Q-Former; 0 for none */
  readonly queryText: number;
  /** adapters of the language model, fed at run time; each A and B then has its gradient as an output; default none */
  readonly adapter?: AdapterForm | null;
}

/** Inputs as in `inputs.safetensors`; outputs `vision_hidden_state` … `grad_projection_bias`. */
export function comparisonGraph(files: ModelFiles<InstructBlipConfig>, sizes: ComparisonSizes): Graph {
  const { config } = files;
  const graph = new Graph();
  const weights = files.weights(graph);
  const { imageSize } = config.vision;
  const pixelValues = graph.input('pixel_values', 'float32', [sizes.batch, 3, imageSize, imageSize]);
  const imageHidden = vision(weights, config.vision, pixelValues);
  graph.output('vision_hidden_state', imageHidden);
  const text = queryText(graph, sizes);
  const queries = qformer(weights, config.qformer, { imageHidden, ...(text ? { text } : {}) });
  graph.output('qformer_output', queries);
  const projected = languageProjection(weights, queries);
  graph.output('projected', projected);
  const logits = languageModel(files, weights, { projected, sizes });
  graph.output('logits', logits);
  const loss = sequenceLoss(graph, logits, sizes);
  const parameters = [weights('language_projection.weight'), weights('language_projection.bias')];
  const [weightGradient, biasGradient] = gradients([loss], [null], parameters);
  graph.output('grad_projection_weight', weightGradient!);
  graph.output('grad_projection_bias', biasGradient!);
  const adapters = adapterWeightInputs(graph);
  const found = adapters.length > 0 ? gradients([loss], [null], adapters) : [];
  found.forEach((gradient, place) => graph.output(adapterGradient(adapters[place]!.name), gradient));
  return graph;
}

function queryText(graph: Graph, { batch, queryText: length }: ComparisonSizes) {
  if (length === 0) return null;
  const ids = graph.input('qformer_input_ids', 'int64', [batch, length]);
  const mask = graph.input('qformer_attention_mask', 'int64', [batch, length]);
  return { ids, mask };
}

/** Logits [B, T, V] of rows [visual tokens][text][padding]; the placeholders' embeddings are never looked up. */
function languageModel(
  { config }: ModelFiles<InstructBlipConfig>,
  weights: Weights,
  { projected, sizes }: { projected: Tensor; sizes: ComparisonSizes },
): Tensor {
  const { graph } = projected;
  const { batch, length, adapter } = sizes;
  const ids = graph.input('input_ids', 'int64', [batch, length]);
  const attended = graph.input('attention_mask', 'int64', [batch, length]);
  const words = embedTokens(weights, config.llama, op.slice(ids, 1, { start: config.queryTokens }));
  const embeddings = op.concat([projected, words], 1);
  const positionIds = op.expand(op.reshape(op.range(ids, 1), [1, length]), [batch, length]);
  const one = graph.scalar(1, 'int64');
  const padding = graph.scalar(-1, 'int64');
  const segments = op.where(op.equal(attended, one), graph.scalar(0, 'int64'), padding);
  const { hidden } = llama(weights, config.llama, {
    embeddings,
    positionIds,
    mask: attentionBias(segments),
    adapt: adapterInputs(graph, adapter),
  });
  return languageModelHead(weights, hidden);
}

/** Adds `sequence_log_probs` [B] and `loss` [1]; labels are shifted by one, negative ones do not count. */
function sequenceLoss(graph: Graph, logits: Tensor, { batch, length }: ComparisonSizes): Tensor {
  const labels = op.slice(graph.input('labels', 'int64', [batch, length]), 1, { start: 1 });
  const zero = graph.scalar(0, 'int64');
  const counts = op.lessOrEqual(zero, labels);
  const count = batch * (length - 1);
  const before = op.slice(logits, 1, { start: 0, end: length - 1 });
  const all = op.labelLogProbabilities(
    op.reshape(before, [count, logits.shape[2]!]),
    op.reshape(op.where(counts, labels, zero), [count]),
  );
  const used = op.cast(counts, 'float32');
  const sums = op.reduceSum(op.multiply(op.reshape(all, [batch, length - 1]), used), [1]);
  graph.output('sequence_log_probs', sums);
  const loss = op.negate(op.divide(op.reduceSum(sums, [0]), op.reduceSum(used, [0, 1])));
  graph.output('loss', op.reshape(loss, [1]));
  return loss;
}
