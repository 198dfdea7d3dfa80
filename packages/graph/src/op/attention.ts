/** Softmax, scaled dot-product attention (arXiv 1706.03762) and rotary position embedding (arXiv 2104.09864). */
import { EmacError } from '@emac/core';
import type { Tensor } from '../graph.ts';
import { sameShape, shapeText } from '../shape.ts';
import { add, multiply, negate, subtract } from './elementwise.ts';
import { matMul } from './matrix.ts';
import { reduceSum } from './broadcast.ts';

/** Softmax over the last axis; ∂x = p (∂y − Σ ∂y·p). */
export function softmax(x: Tensor): Tensor {
  const p: Tensor = x.graph.node(
    'Softmax',
    [x],
    { type: x.type, shape: x.shape },
    {
      attributes: { axis: -1 },
      origin: {
        inputs: [x],
        vjp: (g) => [multiply(p, subtract(g, reduceSum(multiply(g, p), [-1], true)))],
      },
    },
  );
  return p;
}

/** Log-softmax over the last axis; ∂x = ∂y − softmax(x)·Σ ∂y. */
export function logSoftmax(x: Tensor): Tensor {
  return x.graph.node(
    'LogSoftmax',
    [x],
    { type: x.type, shape: x.shape },
    {
      attributes: { axis: -1 },
      origin: { inputs: [x], vjp: (g) => [subtract(g, multiply(softmax(x), reduceSum(g, [-1], true)))] },
    },
  );
}

export interface AttentionOperands {
  /** [B, H, S, d] */
  readonly query: Tensor;
  /** [B, H, T, d] */
  readonly key: Tensor;
  /** [B, H, T, d] */
  readonly value: Tensor;
  /** added to the scores: broadcasts to [B, 1, S, T]; absent: every position sees every other */
  readonly bias?: Tensor;
  /** factor on the scores, usually 1/√d */
  readonly scale: number;
}

/**
 * softmax(s·Q·Kᵀ + bias)·V → [B, H, S, d]. The backward pass computes Σ ∂P·P per row as Σ ∂O·O (equal, as in
 * FlashAttention, arXiv 2205.14135), reading [S, d] instead of [S, T]. The bias receives no gradient.
 */
export function attention(operands: AttentionOperands): Tensor {
  const { query, key, value } = operands;
  const { output, probabilities } = attentionForward(operands);
  return query.graph.withOrigin(output, {
    inputs: [query, key, value],
    vjp: (g) => {
      const shares = attentionBackward({ ...operands, probabilities, g, along: rowProducts(g, output) });
      return [shares.query, shares.key, shares.value];
    },
  });
}

/** Σ a·b over the last axis, kept with size 1. */
export const rowProducts = (a: Tensor, b: Tensor): Tensor => reduceSum(multiply(a, b), [-1], true);

export interface AttentionResult {
  /** [B, H, S, d] */
  readonly output: Tensor;
  /** [B, H, S, T] */
  readonly probabilities: Tensor;
}

/**
 * One node if the bias has a row for every query; it reads and writes the scores while they are in the cache. Its
 * second and third outputs repeat keys and values, and are never read. ONNX's shape inference takes an unknown number
 * of keys for 0, and ONNX Runtime plans its memory with that; a reshape, which moves no data, corrects it.
 */
export function attentionForward({ query, key, value, bias, scale }: AttentionOperands): AttentionResult {
  const { graph, type } = query;
  const scores = { type, shape: [...query.shape.slice(0, -1), key.shape.at(-2)!] };
  if (bias && !sameShape(bias.shape.slice(-2), scores.shape.slice(-2))) {
    const products = matMul(query, key, { transposeB: true, scale });
    const probabilities = softmax(add(products, bias));
    return { output: matMul(probabilities, value), probabilities };
  }
  const [output, , , rows] = graph.nodeWithOutputs(
    'Attention',
    bias ? [query, key, value, bias] : [query, key, value],
    [{ type, shape: query.shape }, key, value, scores],
    { attributes: { scale: { float: scale }, qk_matmul_output_mode: 3 } },
  ) as [Tensor, Tensor, Tensor, Tensor];
  return { output, probabilities: graph.node('Reshape', [rows, graph.shapeVector(scores.shape)], scores) };
}

export interface AttentionBackwardOperands extends Omit<AttentionOperands, 'bias'> {
  /** [B, H, S, T] */
  readonly probabilities: Tensor;
  /** ∂O, [B, H, S, d] */
  readonly g: Tensor;
  /** Σ ∂O·O per row, [B, H, S, 1] */
  readonly along: Tensor;
}

/** Gradients of query, key and value. */
export function attentionBackward(
  operands: AttentionBackwardOperands,
): Pick<AttentionOperands, 'query' | 'key' | 'value'> {
  const { query, key, value, scale, probabilities, g, along } = operands;
  const inner = multiply(probabilities, subtract(matMul(g, value, { transposeB: true }), along));
  return {
    query: matMul(inner, key, { scale }),
    key: matMul(inner, query, { transposeA: true, scale }),
    value: matMul(probabilities, g, { transposeA: true }),
  };
}

export interface RotaryTables {
  /** int64 [B, S] */
  readonly positionIds: Tensor;
  /** [positions, d/2] */
  readonly cos: Tensor;
  /** [positions, d/2] */
  readonly sin: Tensor;
}

/**
 * Rotates the pairs (x_i, x_{i+d/2}) of x [B, H, S, d] by the angle of their position (non-interleaved, as LLaMA
 * does). The gradient is the rotation back.
 */
export function rotary(x: Tensor, tables: RotaryTables): Tensor {
  if (x.shape.length !== 4)
    throw new EmacError('internal', `rotary: x must be [B, H, S, d], got ${shapeText(x.shape)}`);
  const { positionIds, cos, sin } = tables;
  const { graph } = x;
  return graph.node(
    'RotaryEmbedding',
    [x, positionIds, cos, sin],
    { type: x.type, shape: x.shape },
    {
      domain: 'com.microsoft',
      attributes: { interleaved: 0 },
      origin: {
        inputs: [x],
        vjp: (g) => {
          const back = graph.memo(`negated ${sin.name}`, () => negate(sin));
          return [rotary(g, { positionIds, cos, sin: back })];
        },
      },
    },
  );
}
