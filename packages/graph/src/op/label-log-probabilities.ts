/** Log-probabilities of given labels: the cross-entropy's core, with its short gradient. */
import { EmacError } from '@emac/core';
import { shapeText, type Tensor } from '../tensor.ts';
import { multiply, subtract } from './elementwise.ts';
import { softmax } from './attention.ts';
import { oneHot, reshape } from './shape.ts';

/** log softmax(logits)[l, labels[l]]: logits [L, V], labels int64 [L] → [L]; ∂logits = ∂y (onehot − softmax). */
export function labelLogProbabilities(logits: Tensor, labels: Tensor): Tensor {
  const [count, vocabulary] = logits.shape;
  if (logits.shape.length !== 2 || labels.shape.length !== 1 || labels.shape[0] !== count)
    throw new EmacError(
      'internal',
      `labelLogProbabilities: needs logits [L, V] and labels [L], got ${shapeText(logits.shape)} and ${shapeText(labels.shape)}`,
    );
  const { graph } = logits;
  const all = graph.node(
    'LogSoftmax',
    [logits],
    { type: logits.type, shape: logits.shape },
    { attributes: { axis: -1 } },
  );
  const picked = graph.node(
    'GatherElements',
    [all, reshape(labels, [count!, 1])],
    { type: logits.type, shape: [count!, 1] },
    {
      attributes: { axis: 1 },
    },
  );
  return graph.withOrigin(reshape(picked, [count!]), {
    inputs: [logits],
    vjp: (g) => [multiply(reshape(g, [count!, 1]), subtract(oneHot(labels, vocabulary!), softmax(logits)))],
  });
}
