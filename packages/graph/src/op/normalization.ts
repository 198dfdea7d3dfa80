/** LayerNorm (arXiv 1607.06450) and RMSNorm (arXiv 1910.07467) over the last axis. */
import type { Tensor } from '../graph.ts';
import { add, divide, multiply, sqrt, square, subtract } from './elementwise.ts';
import { reduceMean } from './reduce-mean.ts';
import { reduceSum } from './broadcast.ts';

/** Sums a gradient over every axis but the last: the gradient of a weight or bias [width]. */
function overRows(gradient: Tensor): Tensor {
  return reduceSum(
    gradient,
    gradient.shape.slice(0, -1).map((_, axis) => axis),
  );
}

/** 1/√(mean(x²) + ε) per row, [..., 1]. */
function inverseRootMeanSquare(x: Tensor, epsilon: number): Tensor {
  const { graph } = x;
  return divide(graph.scalar(1), sqrt(add(reduceMean(square(x), [-1], true), graph.scalar(epsilon))));
}

/** y = w·x·r with r = 1/√(mean(x²) + ε), a second output of the node. ∂x = r·w·∂y − x·r²·mean(∂y·y), ∂w = Σ ∂y·x·r. */
export function rmsNorm(x: Tensor, weight: Tensor, epsilon: number): Tensor {
  const { graph, type, shape } = x;
  const [y, r] = graph.nodeWithOutputs(
    'SimplifiedLayerNormalization',
    [x, weight],
    [
      { type, shape },
      { type, shape: [...shape.slice(0, -1), 1] },
    ],
    { attributes: { axis: -1, epsilon: { float: epsilon }, stash_type: 1 } },
  ) as [Tensor, Tensor];
  return graph.withOrigin(y, {
    inputs: [x, weight],
    vjp: (g) => {
      const along = multiply(reduceMean(multiply(g, y), [-1], true), square(r));
      const direct = multiply(multiply(g, weight), r);
      return [subtract(direct, multiply(x, along)), overRows(multiply(g, multiply(x, r)))];
    },
  });
}

/**
 * y = w·x̂ + b with x̂ = (x − mean)/√(variance + ε). With u = w·∂y:
 * ∂x = (u − mean(u) − x̂·mean(u·x̂))/√(variance + ε), ∂w = Σ ∂y·x̂, ∂b = Σ ∂y.
 */
export function layerNorm(
  x: Tensor,
  affine: { readonly weight: Tensor; readonly bias: Tensor },
  epsilon: number,
): Tensor {
  const { graph } = x;
  const { weight, bias } = affine;
  return graph.node(
    'LayerNormalization',
    [x, weight, bias],
    { type: x.type, shape: x.shape },
    {
      attributes: { axis: -1, epsilon: { float: epsilon }, stash_type: 1 },
      origin: {
        inputs: [x, weight, bias],
        vjp: (g) => {
          const centred = subtract(x, reduceMean(x, [-1], true));
          const r = inverseRootMeanSquare(centred, epsilon);
          const normalized = multiply(centred, r);
          const u = multiply(g, weight);
          const along = reduceMean(multiply(u, normalized), [-1], true);
          const rest = subtract(subtract(u, reduceMean(u, [-1], true)), multiply(normalized, along));
          return [multiply(r, rest), overRows(multiply(g, normalized)), overRows(g)];
        },
      },
    },
  );
}
