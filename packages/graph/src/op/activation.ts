/** Further activation functions. At jumps of a derivative the gradient is PyTorch's. */
import type { Tensor } from '../graph.ts';
import { abs, clip } from './arithmetic.ts';
import { add, divide, multiply, scale, sigmoid, square, subtract, tanh } from './elementwise.ts';
import { and, less, where } from './logic.ts';

type Attributes = Readonly<Record<string, { readonly float: number }>>;

interface Activation {
  readonly type: string;
  readonly attributes?: Attributes;
  /** dy/dx */
  readonly derivative: (y: Tensor) => Tensor;
}

function activation(x: Tensor, { type, attributes = {}, derivative }: Activation): Tensor {
  const y: Tensor = x.graph.node(
    type,
    [x],
    { type: x.type, shape: x.shape },
    { attributes, origin: { inputs: [x], vjp: (g) => [multiply(g, derivative(y))] } },
  );
  return y;
}

const plus = (x: Tensor, value: number): Tensor => add(x, x.graph.scalar(value));
const isPositive = (x: Tensor): Tensor => less(x.graph.scalar(0), x);

/** x where x > 0, else α·x; dy/dx = 1 or α. */
export const leakyRelu = (x: Tensor, alpha: number): Tensor =>
  activation(x, {
    type: 'LeakyRelu',
    attributes: { alpha: { float: alpha } },
    derivative: () => where(isPositive(x), x.graph.scalar(1), x.graph.scalar(alpha)),
  });

/** x where x > 0, else α(eˣ − 1) (arXiv 1511.07289); dy/dx = 1 or y + α. */
export const elu = (x: Tensor, alpha: number): Tensor =>
  activation(x, {
    type: 'Elu',
    attributes: { alpha: { float: alpha } },
    derivative: (y) => where(isPositive(x), x.graph.scalar(1), plus(y, alpha)),
  });

/** γ·elu(x, α) (arXiv 1706.02515); dy/dx = γ or y + γα. */
export const selu = (x: Tensor, constants: { readonly alpha: number; readonly gamma: number }): Tensor =>
  activation(x, {
    type: 'Selu',
    attributes: { alpha: { float: constants.alpha }, gamma: { float: constants.gamma } },
    derivative: (y) =>
      where(isPositive(x), x.graph.scalar(constants.gamma), plus(y, constants.alpha * constants.gamma)),
  });

/** x where x > 0, else α(e^(x/α) − 1) (arXiv 1704.07483); dy/dx = 1 or y/α + 1. */
export const celu = (x: Tensor, alpha: number): Tensor =>
  activation(x, {
    type: 'Celu',
    attributes: { alpha: { float: alpha } },
    derivative: (y) => where(isPositive(x), x.graph.scalar(1), plus(scale(y, 1 / alpha), 1)),
  });

/** log(1 + eˣ); dy/dx = σ(x). */
export const softplus = (x: Tensor): Tensor =>
  activation(x, { type: 'Softplus', derivative: () => sigmoid(x) });

/** x/(1 + |x|); dy/dx = 1/(1 + |x|)². */
export const softsign = (x: Tensor): Tensor =>
  activation(x, {
    type: 'Softsign',
    derivative: () => divide(x.graph.scalar(1), square(plus(abs(x), 1))),
  });

/** α·x + β clipped to [0, 1]; dy/dx = α inside, else 0. */
export const hardSigmoid = (x: Tensor, line: { readonly alpha: number; readonly beta: number }): Tensor =>
  activation(x, {
    type: 'HardSigmoid',
    attributes: { alpha: { float: line.alpha }, beta: { float: line.beta } },
    derivative: (y) => {
      const zero = x.graph.scalar(0);
      const isInside = and(less(zero, y), less(y, x.graph.scalar(1)));
      return where(isInside, x.graph.scalar(line.alpha), zero);
    },
  });

/** x·(x/6 + 1/2 clipped to [0, 1]) (arXiv 1905.02244); dy/dx = x/3 + 1/2 for |x| < 3, else 0 or 1. */
export const hardSwish = (x: Tensor): Tensor =>
  activation(x, {
    type: 'HardSwish',
    derivative: () => {
      const { graph } = x;
      const isInside = less(abs(x), graph.scalar(3));
      return where(isInside, plus(scale(x, 1 / 3), 0.5), clip(x, { low: 0, high: 1 }));
    },
  });

/** GELU by its tanh formula, x/2·(1 + tanh(√(2/π)(x + 0.044715 x³))) (arXiv 1606.08415). */
export function geluTanh(x: Tensor): Tensor {
  const { graph, type, shape } = x;
  const k = Math.sqrt(2 / Math.PI);
  return graph.node(
    'Gelu',
    [x],
    { type, shape },
    {
      attributes: { approximate: 'tanh' },
      origin: {
        inputs: [x],
        // with t = tanh(u): dy/dx = (1 + t)/2 + x/2·(1 − t²)·u′
        vjp: (g) => {
          const squared = square(x);
          const t = tanh(multiply(x, plus(scale(squared, k * 0.044715), k)));
          const slope = plus(scale(squared, 3 * k * 0.044715), k);
          const bend = multiply(multiply(x, subtract(graph.scalar(1), square(t))), slope);
          return [multiply(g, scale(plus(add(t, bend), 1), 0.5))];
        },
      },
    },
  );
}

/** x where x > 0, else slope·x (arXiv 1502.01852); the slope broadcasts and receives a gradient. */
export const prelu = (x: Tensor, slope: Tensor): Tensor => where(isPositive(x), x, multiply(x, slope));

/** x where x > α, else 0; ∂x = ∂y where x > α. */
export const thresholdedRelu = (x: Tensor, alpha: number): Tensor =>
  where(less(x.graph.scalar(alpha), x), x, x.graph.scalar(0));
