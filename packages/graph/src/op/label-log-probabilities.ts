/** Log-probabilities of given labels: the cross-entropy's core, with its short gradient. */
import { EmacError } from '@emac/core';
import type { Tensor } from '../graph.ts';
import { shapeText } from '../shape.ts';
import { multiply, negate } from './elementwise.ts';
import { softmax } from './attention.ts';
import { reshape } from './shape.ts';

/** log softmax(logits)[l, labels[l]]: logits [L, V], labels int64 [L] → [L]; ∂logits = ∂y (onehot − softmax). */
export function labelLogProbabilities(logits: Tensor, labels: Tensor): Tensor {
  const [count] = logits.shape;
  if (logits.shape.length !== 2 || labels.shape.length !== 1 || labels.shape[0] !== count)
    throw new EmacError(
      'internal',
      `labelLogProbabilities: needs logits [L, V] and labels [L], got ${shapeText(logits.shape)} and ${shapeText(labels.shape)}`,
    );
  const { graph, type } = logits;
  const column = reshape(labels, [count!, 1]);
  const all = graph.node('LogSoftmax', [logits], { type, shape: logits.shape }, { attributes: { axis: -1 } });
  const picked = graph.node(
    'GatherElements',
    [all, column],
    { type, shape: [count!, 1] },
    {
      attributes: { axis: 1 },
    },
  );
  return graph.withOrigin(reshape(picked, [count!]), {
    inputs: [logits],
    vjp: (g) => [multiply(negate(reshape(g, [count!, 1])), lessAtLabels(softmax(logits), column))],
  });
}

/** p − onehot: p [L, V], column int64 [L, 1] → [L, V]. */
function lessAtLabels(p: Tensor, column: Tensor): Tensor {
  const { graph, type, shape } = p;
  const minusOnes = graph.node('Expand', [graph.scalar(-1), graph.shapeVector(column.shape)], {
    type,
    shape: column.shape,
  });
  return graph.node(
    'ScatterElements',
    [p, column, minusOnes],
    { type, shape },
    { attributes: { axis: 1, reduction: 'add' } },
  );
}
