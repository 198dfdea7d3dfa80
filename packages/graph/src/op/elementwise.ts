/**
 * Elementwise operators with their vector–Jacobian products. Broadcasting follows NumPy, with literal 1s only; the
 * gradient of a broadcast operand is summed over the broadcast axes.
 */
import { EmacError } from '@emac/core';
import type { Tensor } from '../graph.ts';
import { broadcastShape, sameShape } from '../shape.ts';
import { reduceSum } from './broadcast.ts';
import { reshape } from './shape.ts';

/** Sums a gradient back to the shape of the broadcast operand. */
function unbroadcast(gradient: Tensor, like: Tensor): Tensor {
  if (sameShape(gradient.shape, like.shape)) return gradient;
  const extra = gradient.shape.length - like.shape.length;
  const axes = gradient.shape.flatMap((dimension, axis) =>
    axis < extra || (like.shape[axis - extra] === 1 && dimension !== 1) ? [axis] : [],
  );
  return reshape(reduceSum(gradient, axes, true), like.shape);
}

export type Binary = (a: Tensor, b: Tensor, gradient: Tensor) => readonly [Tensor, Tensor];

export function binary(type: string, [a, b]: readonly [Tensor, Tensor], vjp: Binary): Tensor {
  if (a.type !== b.type)
    throw new EmacError('internal', `${type}: types must agree, got ${a.type} and ${b.type}`);
  const shape = broadcastShape(type, a.shape, b.shape);
  return a.graph.node(
    type,
    [a, b],
    { type: a.type, shape },
    {
      origin: {
        inputs: [a, b],
        vjp: (gradient) => {
          const [ga, gb] = vjp(a, b, gradient);
          return [unbroadcast(ga, a), unbroadcast(gb, b)];
        },
      },
    },
  );
}

export function unary(type: string, x: Tensor, vjp: (gradient: Tensor, y: Tensor) => Tensor): Tensor {
  const y: Tensor = x.graph.node(
    type,
    [x],
    { type: x.type, shape: x.shape },
    {
      origin: { inputs: [x], vjp: (gradient) => [vjp(gradient, y)] },
    },
  );
  return y;
}

/** a + b; ∂a = ∂b = ∂y. */
export const add = (a: Tensor, b: Tensor): Tensor => binary('Add', [a, b], (_a, _b, g) => [g, g]);
/** a − b; ∂a = ∂y, ∂b = −∂y. */
export const subtract = (a: Tensor, b: Tensor): Tensor =>
  binary('Sub', [a, b], (_a, _b, g) => [g, negate(g)]);
/** a·b; ∂a = ∂y·b, ∂b = ∂y·a. */
export const multiply = (a: Tensor, b: Tensor): Tensor =>
  binary('Mul', [a, b], (x, y, g) => [multiply(g, y), multiply(g, x)]);
/** a/b; ∂a = ∂y/b, ∂b = −∂y·a/b². */
export const divide = (a: Tensor, b: Tensor): Tensor =>
  binary('Div', [a, b], (x, y, g) => [divide(g, y), negate(divide(multiply(g, x), square(y)))]);

/** −x; ∂x = −∂y. */
export const negate = (x: Tensor): Tensor => unary('Neg', x, (g) => negate(g));
/** eˣ; ∂x = ∂y·y. */
export const exp = (x: Tensor): Tensor => unary('Exp', x, (g, y) => multiply(g, y));
/** log x; ∂x = ∂y/x. */
export const log = (x: Tensor): Tensor => unary('Log', x, (g) => divide(g, x));
/** √x; ∂x = ∂y/(2y). */
export const sqrt = (x: Tensor): Tensor => unary('Sqrt', x, (g, y) => divide(g, scale(y, 2)));
/** max(x, 0); ∂x = ∂y where x > 0, else 0. */
export const relu = (x: Tensor): Tensor =>
  unary('Relu', x, (g, y) => multiply(g, x.graph.node('Sign', [y], { type: x.type, shape: x.shape })));

/** tanh′ = 1 − tanh². */
export const tanh = (x: Tensor): Tensor =>
  unary('Tanh', x, (g, y) => multiply(g, subtract(x.graph.scalar(1), square(y))));

/** σ′ = σ (1 − σ). */
export const sigmoid = (x: Tensor): Tensor =>
  unary('Sigmoid', x, (g, y) => multiply(g, multiply(y, subtract(x.graph.scalar(1), y))));

/** erf′(x) = 2/√π · exp(−x²). */
export const erf = (x: Tensor): Tensor =>
  unary('Erf', x, (g) => multiply(g, scale(exp(negate(square(x))), 2 / Math.sqrt(Math.PI))));

/** x² (as x·x); ∂x = 2·∂y·x. */
export function square(x: Tensor): Tensor {
  return x.graph.node(
    'Mul',
    [x, x],
    { type: x.type, shape: x.shape },
    {
      origin: { inputs: [x], vjp: (g) => [scale(multiply(g, x), 2)] },
    },
  );
}

/** x times a number; ∂x is ∂y times it. */
export const scale = (x: Tensor, factor: number): Tensor => multiply(x, x.graph.scalar(factor));

/** log σ(x), stable at both ends: min(x, 0) − log(1 + e^(−|x|)); derivative σ(−x). */
export function logSigmoid(x: Tensor): Tensor {
  const { graph, type, shape } = x;
  const magnitude = graph.node('Abs', [x], { type, shape });
  const tail = log(add(exp(negate(magnitude)), graph.scalar(1)));
  const head = graph.node('Min', [x, graph.scalar(0)], { type, shape });
  const value = graph.node('Sub', [head, tail], { type, shape });
  return graph.withOrigin(value, { inputs: [x], vjp: (g) => [multiply(g, sigmoid(negate(x)))] });
}

/** log(1 − eˣ) for x < 0, as log(−tanh(x/2) · (1 + eˣ)), which loses no digits near 0; derivative 1/(1 − e⁻ˣ). */
export function logComplement(x: Tensor): Tensor {
  const { graph } = x;
  const raised = exp(x);
  const complement = multiply(negate(tanh(scale(x, 0.5))), add(raised, graph.scalar(1)));
  const value = log(complement);
  return graph.withOrigin(value, {
    inputs: [x],
    vjp: (g) => [negate(divide(multiply(g, raised), complement))],
  });
}

/** SiLU, y = x σ(x) (Elfwing et al., arXiv 1702.03118); derivative y + σ(x) (1 − y). */
export function silu(x: Tensor): Tensor {
  const { graph, type, shape } = x;
  const y: Tensor = graph.node(
    'QuickGelu',
    [x],
    { type, shape },
    {
      domain: 'com.microsoft',
      attributes: { alpha: { float: 1 } },
      origin: {
        inputs: [x],
        vjp: (g) => [multiply(g, add(y, multiply(sigmoid(x), subtract(graph.scalar(1), y))))],
      },
    },
  );
  return y;
}

/**
 * SwiGLU, y = g σ(g) u for a gate g and values u (Shazeer, arXiv 2002.05202). ∂u = ∂y g σ(g), ∂g = ∂y (y + σ(g) (u −
 * y)): two memory passes fewer than silu and product.
 */
export function swiglu(gate: Tensor, up: Tensor): Tensor {
  const open = silu(gate);
  const y = multiply(open, up);
  return gate.graph.withOrigin(y, {
    inputs: [gate, up],
    vjp: (g) => [multiply(g, add(y, multiply(sigmoid(gate), subtract(up, y)))), multiply(g, open)],
  });
}

/** GELU with the exact error function, x Φ(x) (arXiv 1606.08415); derivative Φ(x) + x φ(x). */
export function gelu(x: Tensor): Tensor {
  const { graph, type, shape } = x;
  return graph.node(
    'Gelu',
    [x],
    { type, shape },
    {
      origin: {
        inputs: [x],
        vjp: (g) => {
          const cumulative = scale(add(erf(scale(x, Math.SQRT1_2)), graph.scalar(1)), 0.5);
          const density = scale(exp(scale(square(x), -0.5)), 1 / Math.sqrt(2 * Math.PI));
          return [multiply(g, add(cumulative, multiply(x, density)))];
        },
      },
    },
  );
}

/** The same values without a gradient. */
export const stopGradient = (x: Tensor): Tensor =>
  x.graph.node('Identity', [x], { type: x.type, shape: x.shape });
