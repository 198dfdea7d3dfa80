/** Rows of a table by index. */
import type { Tensor } from '../graph.ts';
import { productOf } from '../shape.ts';
import { expand } from './broadcast.ts';
import { reshape } from './shape.ts';

/**
 * Rows of a table: table [N, …], indices int64 of any shape → [...indices, …]. The gradient adds each row's share at
 * its index, in the order of the indices.
 */
export function gather(table: Tensor, indices: Tensor): Tensor {
  const shape = [...indices.shape, ...table.shape.slice(1)];
  return table.graph.node(
    'Gather',
    [table, indices],
    { type: table.type, shape },
    {
      attributes: { axis: 0 },
      origin: { inputs: [table], vjp: (g) => [scatterRows(g, indices, table)] },
    },
  );
}

/** ScatterElements adds serially, in order; ScatterND's sums depend on the timing of its threads. */
function scatterRows(rows: Tensor, indices: Tensor, like: Tensor): Tensor {
  const { graph } = like;
  const { type, shape } = like;
  const zeros = graph.node('Expand', [graph.scalar(0), graph.shapeVector(shape)], { type, shape });
  const count = productOf(indices.shape);
  const rest = shape.slice(1);
  const places = expand(reshape(indices, [count, ...rest.map(() => 1)]), [count, ...rest]);
  const shares = reshape(rows, [count, ...rest]);
  return graph.node(
    'ScatterElements',
    [zeros, places, shares],
    { type, shape },
    {
      attributes: { axis: 0, reduction: 'add' },
    },
  );
}

/** One-hot rows: indices int64 [L] → float32 [L, depth]; no gradient. */
export function oneHot(indices: Tensor, depth: number | string): Tensor {
  const { graph } = indices;
  const values = graph.memo('one-hot values', () => graph.constant(Float32Array.of(0, 1), [2]));
  return graph.node('OneHot', [indices, graph.shapeVector([depth]), values], {
    type: 'float32',
    shape: [...indices.shape, depth],
  });
}
