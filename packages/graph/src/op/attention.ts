/** Softmax, scaled dot-product attention (arXiv 1706.03762) and rotary position embedding (arXiv 2104.09864). */
import { EmacError } from '@emac/core';
import type { Tensor } from '../graph.ts';
import { sameShape, shapeText, type Shape } from '../shape.ts';
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
  const output = attentionForward(operands);
  return query.graph.withOrigin(output, {
    inputs: [query, key, value],
    vjp: (g) => {
      const shares = attentionBackward({ ...operands, g, along: rowProducts(g, output) });
      return [shares.query, shares.key, shares.value];
    },
  });
}

/** Σ a·b over the last axis, kept with size 1. */
export const rowProducts = (a: Tensor, b: Tensor): Tensor => reduceSum(multiply(a, b), [-1], true);

/** softmax(s·Q·Kᵀ + bias)·V → [B, H, S, d], without a gradient. */
export function attentionForward(operands: AttentionOperands): Tensor {
  if (!hasBiasRows(operands)) return matMul(plainProbabilities(operands), operands.value);
  return attentionNode(operands)[0]!;
}

/**
 * softmax(s·Q·Kᵀ + bias) → [B, H, S, T], computed a second time once the output's gradient g [B, H, S, d] is there. Kept from the forward
 * pass, those of all layers would be in memory at once. FlashAttention (arXiv 2205.14135) recomputes them too. Equal bits: the same node on
 * the same numbers.
 */
function probabilitiesAgain(operands: AttentionOperands, g: Tensor): Tensor {
  const again = { ...operands, query: whenThere(operands.query, g) };
  if (!hasBiasRows(operands)) return plainProbabilities(again);
  const { graph, type } = g;
  const shape = scoresShape(operands);
  return graph.node('Reshape', [attentionNode(again)[3]!, graph.shapeVector(shape)], { type, shape });
}

/** x, but no earlier than `other` of the same shape: what is computed from it is no common subexpression of the forward pass. */
function whenThere(x: Tensor, other: Tensor): Tensor {
  const { graph, type, shape } = x;
  const sizes = graph.node('Shape', [other], { type: 'int64', shape: [shape.length] });
  return graph.node('Reshape', [x, sizes], { type, shape });
}

const scoresShape = ({ query, key }: AttentionOperands): Shape => [
  ...query.shape.slice(0, -1),
  key.shape.at(-2)!,
];

/** Whether the bias, if any, has a row for every query and a column for every key. */
function hasBiasRows(operands: AttentionOperands): boolean {
  const { bias } = operands;
  return !bias || sameShape(bias.shape.slice(-2), scoresShape(operands).slice(-2));
}

function plainProbabilities({ query, key, bias, scale }: AttentionOperands): Tensor {
  return softmax(add(matMul(query, key, { transposeB: true, scale }), bias!));
}

/**
 * One node: it reads and writes the scores while they are in the cache. Outputs: of attention, two that repeat keys and values and are
 * never read, and the probabilities. ONNX's shape inference takes an unknown number of keys for 0, and ONNX Runtime plans its memory with
 * that; a reshape of the probabilities, which moves no data, corrects it.
 */
function attentionNode(operands: AttentionOperands): readonly Tensor[] {
  const { query, key, value, bias, scale } = operands;
  const { graph, type } = query;
  return graph.nodeWithOutputs(
    'Attention',
    bias ? [query, key, value, bias] : [query, key, value],
    [{ type, shape: query.shape }, key, value, { type, shape: scoresShape(operands) }],
    { attributes: { scale: { float: scale }, qk_matmul_output_mode: 3 } },
  );
}

export interface AttentionBackwardOperands extends AttentionOperands {
  /** ∂O, [B, H, S, d] */
  readonly g: Tensor;
  /** Σ ∂O·O per row, [B, H, S, 1] */
  readonly along: Tensor;
}

/** Gradients of query, key and value. */
export function attentionBackward(
  operands: AttentionBackwardOperands,
): Pick<AttentionOperands, 'query' | 'key' | 'value'> {
  const { query, key, value, scale, g, along } = operands;
  const probabilities = probabilitiesAgain(operands, g);
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
