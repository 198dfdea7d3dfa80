/**
 * Matrix products. On the CPU provider they are FusedMatMul, which reads a weight as stored, [out, in], so no
 * transposed copy is made: forward uses W with transB, backward uses W directly.
 */
import { EmacError } from '@emac/core';
import type { Tensor } from '../graph.ts';
import { broadcastShape, productOf, sameShape, shapeText, type Shape } from '../shape.ts';
import { add } from './elementwise.ts';
import { reduceSum } from './broadcast.ts';
import { reshape } from './shape.ts';

export interface MatMulOptions {
  readonly transposeA?: boolean;
  readonly transposeB?: boolean;
  /** factor on the product */
  readonly scale?: number;
}

/** Batched product of the last two axes, [..., n, k] × [..., k, m] → [..., n, m]; batch axes broadcast. */
export function matMul(a: Tensor, b: Tensor, options: MatMulOptions = {}): Tensor {
  const { transposeA = false, transposeB = false, scale = 1 } = options;
  const shape = productShape(a, b, { transposeA, transposeB });
  return fused(a, b, { transposeA, transposeB, scale, shape });
}

interface Product {
  readonly transposeA: boolean;
  readonly transposeB: boolean;
  readonly scale: number;
  readonly shape: Shape;
}

function fused(a: Tensor, b: Tensor, product: Product): Tensor {
  const { transposeA, transposeB, scale, shape } = product;
  return a.graph.node(
    'FusedMatMul',
    [a, b],
    { type: a.type, shape },
    {
      domain: 'com.microsoft',
      attributes: { transA: transposeA ? 1 : 0, transB: transposeB ? 1 : 0, alpha: { float: scale } },
      origin: { inputs: [a, b], vjp: (g) => matMulGradients(a, b, { ...product, g }) },
    },
  );
}

/** With C = s·A·B: ∂A = s·∂C·Bᵀ, ∂B = s·Aᵀ·∂C, transposed again for a transposed operand. */
function matMulGradients(a: Tensor, b: Tensor, p: Product & { g: Tensor }): [Tensor, Tensor] {
  const { g, transposeA, transposeB, scale } = p;
  const ga = transposeA
    ? matMul(b, g, { transposeA: transposeB, transposeB: true, scale })
    : matMul(g, b, { transposeB: !transposeB, scale });
  const gb = transposeB
    ? matMul(g, a, { transposeA: true, transposeB: transposeA, scale })
    : matMul(a, g, { transposeA: !transposeA, scale });
  return [sumBatch(ga, a), sumBatch(gb, b)];
}

function sumBatch(gradient: Tensor, like: Tensor): Tensor {
  if (sameShape(gradient.shape, like.shape)) return gradient;
  const extra = gradient.shape.length - like.shape.length;
  const axes = gradient.shape.flatMap((d, i) => (i < extra || like.shape[i - extra] !== d ? [i] : []));
  return reshape(reduceSum(gradient, axes, true), like.shape);
}

function productShape(a: Tensor, b: Tensor, t: { transposeA: boolean; transposeB: boolean }): Shape {
  if (a.shape.length < 2 || b.shape.length < 2)
    throw new EmacError(
      'internal',
      `matMul: needs a rank of 2 or more, got ${shapeText(a.shape)} and ${shapeText(b.shape)}`,
    );
  const [n, k] = t.transposeA ? [a.shape.at(-1)!, a.shape.at(-2)!] : [a.shape.at(-2)!, a.shape.at(-1)!];
  const [l, m] = t.transposeB ? [b.shape.at(-1)!, b.shape.at(-2)!] : [b.shape.at(-2)!, b.shape.at(-1)!];
  if (k !== l)
    throw new EmacError(
      'internal',
      `matMul: inner dimensions must agree, got ${shapeText(a.shape)} and ${shapeText(b.shape)}`,
    );
  return [...broadcastShape('matMul', a.shape.slice(0, -2), b.shape.slice(0, -2)), n, m];
}

/**
 * y = x·Wᵀ (+ bias): x [..., in], weight [out, in], bias [out] → [..., out]. ∂x = ∂y·W, ∂W = ∂yᵀ·x, ∂bias = Σ ∂y.
 */
export function linear(x: Tensor, weight: Tensor, bias?: Tensor): Tensor {
  const [outWidth, inWidth] = weight.shape;
  if (weight.shape.length !== 2 || x.shape.at(-1) !== inWidth)
    throw new EmacError(
      'internal',
      `linear: x [..., in] and weight [out, in] must agree, got ${shapeText(x.shape)} and ${shapeText(weight.shape)}`,
    );
  const shape = [...x.shape.slice(0, -1), outWidth!];
  const y = x.graph.node(
    'FusedMatMul',
    [x, weight],
    { type: x.type, shape },
    {
      domain: 'com.microsoft',
      attributes: { transB: 1 },
      origin: {
        inputs: [x, weight],
        vjp: (g) => [matMul(g, weight), weightGradient(g, x)],
      },
    },
  );
  return bias ? add(y, bias) : y;
}

/** ∂W = ∂yᵀ·x over all leading axes. */
function weightGradient(g: Tensor, x: Tensor): Tensor {
  const rows = productOf(x.shape.slice(0, -1));
  return matMul(reshape(g, [rows, g.shape.at(-1)!]), reshape(x, [rows, x.shape.at(-1)!]), {
    transposeA: true,
  });
}
