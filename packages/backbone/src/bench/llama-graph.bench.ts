/**
 * The measured computation: embeddings to the cross-entropy of every position, with causal attention through an
 * additive mask, and the gradient of the embeddings. Weights receive no gradient.
 */
import { Random } from '@emac/core';
import { Graph, gradients, op, type Dimension, type Value } from '@emac/graph';

import { attentionBias } from '../networks/attention-bias.ts';
import type { LlamaModel } from '../generation/generation-graphs.ts';
import { llama } from '../networks/llama.ts';
import { languageModelHead } from '../networks/tokens.ts';

export interface Size<Count extends Dimension = number> {
  readonly batch: Count;
  readonly length: Count;
}

export interface LlamaGraphOptions {
  readonly backward: boolean;
  /** default: unknown until run time, more than one position, as in training */
  readonly size?: Size<Dimension>;
  /** default true; without a mask every position sees every other, and all scores are computed */
  readonly masked?: boolean;
}

/** Inputs as `llamaFeeds` gives them; outputs `loss` [] and, with the backward pass, `gradient` [B, S, D]. */
export function llamaGraph({ config, weights: weightsOf }: LlamaModel, options: LlamaGraphOptions): Graph {
  const { backward, size = { batch: 'B', length: '1+S' }, masked = true } = options;
  const shape = [size.batch, size.length];
  const graph = new Graph();
  const weights = weightsOf(graph);
  const embeddings = graph.input('embeddings', 'float32', [...shape, config.hiddenSize]);
  const [positionIds, segments, labels] = ['position_ids', 'segments', 'labels'].map((name) =>
    graph.input(name, 'int64', shape),
  );
  const { hidden } = llama(weights, config, {
    embeddings,
    positionIds: positionIds!,
    ...(masked ? { mask: attentionBias(segments!) } : {}),
  });
  const logits = languageModelHead(weights, hidden);
  const rows = op.reshape(logits, [productText(shape), config.vocabulary]);
  const each = op.labelLogProbabilities(rows, op.reshape(labels!, [productText(shape)]));
  const loss = op.negate(op.reduceSum(each, [0]));
  graph.output('loss', loss);
  if (backward) graph.output('gradient', gradients([loss], [null], [embeddings])[0]!);
  return graph;
}

function productText([batch, length]: readonly Dimension[]): Dimension {
  return typeof batch === 'number' && typeof length === 'number' ? batch * length : `(${batch})*(${length})`;
}

export type LlamaFeeds = Readonly<Record<'embeddings' | 'position_ids' | 'segments' | 'labels', Value>>;

/** Random embeddings and labels; one segment, positions 0 … S−1. */
export function llamaFeeds({ hiddenSize, vocabulary }: LlamaModel['config'], size: Size): LlamaFeeds {
  const { batch, length } = size;
  const random = Random.fromSeed(`${batch} × ${length}`);
  const integers = (value: (index: number) => number): Value => ({
    type: 'int64',
    shape: [batch, length],
    data: BigInt64Array.from({ length: batch * length }, (_, index) => BigInt(value(index))),
  });
  return {
    embeddings: {
      type: 'float32',
      shape: [batch, length, hiddenSize],
      data: Float32Array.from({ length: batch * length * hiddenSize }, () => random.normal()),
    },
    position_ids: integers((index) => index % length),
    segments: integers(() => 0),
    labels: integers(() => random.integer(vocabulary)),
  };
}
