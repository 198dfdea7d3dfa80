/** Slices a sequence from a position that is only known at run time. */
import { op, type Tensor } from '@emac/graph';

/** Positions `start` (int64 [1]), start + 1, … along one axis of x; the gradient of the others is 0. */
export function fromPosition(x: Tensor, axis: number, start: Tensor): Tensor {
  const { graph, type } = x;
  const shape = x.shape.map((dimension, each) => (each === axis ? 'A' : dimension));
  const axes = graph.integers([axis]);
  return graph.node(
    'Slice',
    [x, start, graph.integers([Number.MAX_SAFE_INTEGER]), axes],
    { type, shape },
    {
      origin: {
        inputs: [x],
        vjp: (g) => {
          const pads = op.concat([start, graph.integers([0])], 0);
          return [graph.node('Pad', [g, pads, graph.scalar(0), axes], { type, shape: x.shape })];
        },
      },
    },
  );
}
