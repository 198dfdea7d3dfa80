/** Further elementwise arithmetic. At ties and edges the gradients are PyTorch's. */
import type { Tensor } from '../graph.ts';
import { binary, log, multiply, negate, scale, square, subtract, unary } from './elementwise.ts';
import { and, equal, lessOrEqual, where } from './logic.ts';

/** The sign of x, −1, 0 or 1; no gradient. */
export const sign = (x: Tensor): Tensor => x.graph.node('Sign', [x], { type: x.type, shape: x.shape });

/** |x|; ∂x = ∂y·sign(x), 0 at 0. */
export const abs = (x: Tensor): Tensor => unary('Abs', x, (g) => multiply(g, sign(x)));

/** 1/x; ∂x = −∂y·y². */
export const reciprocal = (x: Tensor): Tensor =>
  unary('Reciprocal', x, (g, y) => negate(multiply(g, square(y))));

/** sin x; ∂x = ∂y·cos x. */
export const sin = (x: Tensor): Tensor => unary('Sin', x, (g) => multiply(g, cos(x)));

/** cos x; ∂x = −∂y·sin x. */
export const cos = (x: Tensor): Tensor => unary('Cos', x, (g) => negate(multiply(g, sin(x))));

/** x^p; ∂x = ∂y·p·x^(p−1), 0 where p = 0; ∂p = ∂y·x^p·log x, 0 where x = 0. */
export const power = (x: Tensor, p: Tensor): Tensor =>
  binary('Pow', [x, p], (a, b, g) => {
    const zero = a.graph.scalar(0);
    const inner = multiply(b, power(a, subtract(b, a.graph.scalar(1))));
    return [
      multiply(g, where(equal(b, zero), zero, inner)),
      multiply(g, where(equal(a, zero), zero, multiply(power(a, b), log(a)))),
    ];
  });

/** The larger of a and b; the larger one receives the gradient, at a tie half each. */
export const maximum = (a: Tensor, b: Tensor): Tensor =>
  binary('Max', [a, b], (x, y, g) => shares(g, lessOrEqual(y, x), lessOrEqual(x, y)));

/** The smaller of a and b; the smaller one receives the gradient, at a tie half each. */
export const minimum = (a: Tensor, b: Tensor): Tensor =>
  binary('Min', [a, b], (x, y, g) => shares(g, lessOrEqual(x, y), lessOrEqual(y, x)));

function shares(g: Tensor, isFirst: Tensor, isSecond: Tensor): [Tensor, Tensor] {
  const zero = g.graph.scalar(0);
  const each = where(and(isFirst, isSecond), scale(g, 0.5), g);
  return [where(isFirst, each, zero), where(isSecond, each, zero)];
}

export interface Limits {
  /** default −∞ */
  readonly low?: number;
  /** default ∞ */
  readonly high?: number;
}

/** x clipped to [low, high]; ∂x = ∂y where low ≤ x ≤ high, else 0. */
export function clip(x: Tensor, { low, high }: Limits): Tensor {
  const { graph, type, shape } = x;
  const bound = (value: number | undefined) => (value === undefined ? null : graph.scalar(value));
  const within = [
    ...(low === undefined ? [] : [() => lessOrEqual(graph.scalar(low), x)]),
    ...(high === undefined ? [] : [() => lessOrEqual(x, graph.scalar(high))]),
  ];
  if (within.length === 0) return x;
  return graph.node(
    'Clip',
    [x, bound(low), bound(high)],
    { type, shape },
    {
      origin: {
        inputs: [x],
        vjp: (g) => [where(within.map((make) => make()).reduce(and), g, graph.scalar(0))],
      },
    },
  );
}
