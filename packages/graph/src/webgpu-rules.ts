/**
 * Replacements on WebGPU for operators without a kernel there. Products with a weight read it as it lies in its file,
 * [out, in]; only activations are ever transposed.
 */
import type { Node, Tensor } from './graph.ts';
import type { Rule, Writer } from './lowering-rule.ts';
import type { Shape } from './shape.ts';

/** By replaced operator. */
export const webgpuRules: ReadonlyMap<string, Rule> = new Map([
  ['FusedMatMul', product],
  ['LogSoftmax', logSoftmax],
  ['OneHot', oneHot],
  ['Or', or],
  ['Sign', sign],
]);

interface Factors {
  readonly a: Tensor;
  readonly b: Tensor;
  readonly transA: boolean;
  readonly transB: boolean;
  readonly alpha: number;
}

/** s·A·B: Gemm for two matrices and for rows [..., k] with a matrix, else MatMul of factors transposed beforehand. */
function product(node: Node, write: Writer): boolean {
  const { transA = 0, transB = 0, alpha, ...others } = node.attributes;
  if (Object.keys(others).length > 0) return false;
  const [a, b] = node.inputs as [Tensor, Tensor];
  const factors: Factors = {
    a,
    b,
    transA: transA === 1,
    transB: transB === 1,
    alpha: typeof alpha === 'object' && 'float' in alpha ? alpha.float : 1,
  };
  const isPlain = transA === 0 && transB === 0 && factors.alpha === 1;
  if (isPlain) write.last('MatMul', [a, b]);
  else if (a.shape.length === 2 && b.shape.length === 2) write.last('Gemm', [a, b], gemm(factors));
  else if (b.shape.length === 2 && transA === 0) rowsProduct(node, factors, write);
  else batchedProduct(node, factors, write);
  return true;
}

function gemm({ transA, transB, alpha }: Factors): Record<string, number | { float: number }> {
  return { transA: transA ? 1 : 0, transB: transB ? 1 : 0, alpha: { float: alpha } };
}

/** Rows [..., k] → [R, k] · matrix → [R, m] → [..., m]. */
function rowsProduct({ outputs }: Node, factors: Factors, write: Writer): void {
  const { a, b } = factors;
  const { type, shape } = outputs[0]!;
  const rows = write.step('Reshape', [a, asRows(a, write)], { type, shape: ['rows', a.shape.at(-1)!] });
  const result = write.step('Gemm', [rows, b], {
    type,
    shape: ['rows', shape.at(-1)!],
    attributes: gemm(factors),
  });
  write.last('Reshape', [result, shapeLike(a, shape, write)]);
}

/** The shape [−1, width of a], for a last axis of known or unknown size. */
function asRows(a: Tensor, write: Writer): Tensor {
  const width = a.shape.at(-1)!;
  if (typeof width === 'number') return write.constant(BigInt64Array.of(-1n, BigInt(width)), [2]);
  return write.shared(`rows of ${width}`, () => {
    const type = 'int64';
    const last = write.step('Shape', [a], { type, shape: [1], attributes: { start: -1 } });
    const all = write.constant(BigInt64Array.of(-1n), [1]);
    return write.step('Concat', [all, last], { type, shape: [2], attributes: { axis: 0 } });
  });
}

/** `shape`, equal to a's except for the last axis, as a vector: constants if at most one is unknown, written as −1. */
function shapeLike(a: Tensor, shape: Shape, write: Writer): Tensor {
  const sizes = shape.map((dimension) => (typeof dimension === 'number' ? BigInt(dimension) : -1n));
  if (sizes.filter((size) => size < 0n).length <= 1)
    return write.constant(BigInt64Array.from(sizes), [shape.length]);
  return write.shared(`shape ${shape.join()}`, () => {
    const leading = write.step('Shape', [a], {
      type: 'int64',
      shape: [shape.length - 1],
      attributes: { start: 0, end: -1 },
    });
    const width = write.constant(BigInt64Array.of(sizes.at(-1)!), [1]);
    return write.step('Concat', [leading, width], {
      type: 'int64',
      shape: [shape.length],
      attributes: { axis: 0 },
    });
  });
}

/** The factor s goes to A or to the product, to the one with fewer axes of unknown size. */
function batchedProduct({ outputs }: Node, factors: Factors, write: Writer): void {
  const { alpha } = factors;
  const { type, shape } = outputs[0]!;
  const isScaledFirst = alpha !== 1 && unknowns(factors.a.shape) < unknowns(shape);
  const scale = () => write.constant(Float32Array.of(alpha), []);
  const scaled = isScaledFirst
    ? write.step('Mul', [factors.a, scale()], { type, shape: factors.a.shape })
    : factors.a;
  const a = factors.transA ? lastAxesSwapped(scaled, write) : scaled;
  const b = factors.transB ? lastAxesSwapped(factors.b, write) : factors.b;
  if (alpha === 1 || isScaledFirst) return write.last('MatMul', [a, b]);
  write.last('Mul', [write.step('MatMul', [a, b], { type, shape }), scale()]);
}

function unknowns(shape: Shape): number {
  return shape.filter((dimension) => typeof dimension === 'string').length;
}

function lastAxesSwapped(x: Tensor, write: Writer): Tensor {
  const rank = x.shape.length;
  const perm = [...Array(rank - 2).keys(), rank - 1, rank - 2];
  return write.step('Transpose', [x], {
    type: x.type,
    shape: perm.map((axis) => x.shape[axis]!),
    attributes: { perm },
  });
}

/** x − max − log Σ exp(x − max). */
function logSoftmax({ inputs, attributes }: Node, write: Writer): boolean {
  const [x] = inputs as [Tensor];
  const axis = typeof attributes['axis'] === 'number' ? attributes['axis'] : -1;
  const { type } = x;
  const along = axis < 0 ? axis + x.shape.length : axis;
  const reduced = { type, shape: x.shape.map((d, i) => (i === along ? 1 : d)), attributes: { keepdims: 1 } };
  const axes = write.constant(BigInt64Array.of(BigInt(along)), [1]);
  const shifted = write.step('Sub', [x, write.step('ReduceMax', [x, axes], reduced)], x);
  const total = write.step('ReduceSum', [write.step('Exp', [shifted], x), axes], reduced);
  write.last('Sub', [shifted, write.step('Log', [total], { type, shape: reduced.shape })]);
  return true;
}

/** Indices [..., 1] compared with 0 … depth − 1, for a constant depth. */
function oneHot({ inputs, attributes }: Node, write: Writer): boolean {
  const [indices, depth, values] = inputs as [Tensor, Tensor, Tensor];
  const size = write.valuesOf(depth)?.[0];
  const pair = write.valuesOf(values);
  const isLast = attributes['axis'] === undefined || attributes['axis'] === -1;
  if (size === undefined || !(pair instanceof Float32Array) || !isLast) return false;
  const index = write.step('Cast', [indices], {
    type: 'int32',
    shape: indices.shape,
    attributes: { to: 6 },
  });
  const last = write.constant(BigInt64Array.of(-1n), [1]);
  const column = write.step('Unsqueeze', [index, last], { type: 'int32', shape: [...indices.shape, 1] });
  const count = Number(size);
  const places = write.constant(
    Int32Array.from({ length: count }, (_, place) => place),
    [count],
  );
  const hit = write.step('Equal', [column, places], { type: 'bool', shape: [...indices.shape, count] });
  const [off, on] = [...pair].map((value) => write.constant(Float32Array.of(value), []));
  write.last('Where', [hit, on!, off!]);
  return true;
}

/** ¬(¬a ∧ ¬b). */
function or({ inputs, outputs }: Node, write: Writer): boolean {
  const [a, b] = (inputs as [Tensor, Tensor]).map((input) => write.step('Not', [input], input)) as [
    Tensor,
    Tensor,
  ];
  write.last('Not', [write.step('And', [a, b], outputs[0]!)]);
  return true;
}

/** (x > 0) − (x < 0). */
function sign({ inputs }: Node, write: Writer): boolean {
  const [x] = inputs as [Tensor];
  if (x.type !== 'float32') return false;
  const zero = write.constant(Float32Array.of(0), []);
  const holds = (comparison: string) => {
    const isSo = write.step(comparison, [x, zero], { type: 'bool', shape: x.shape });
    return write.step('Cast', [isSo], { type: 'float32', shape: x.shape, attributes: { to: 1 } });
  };
  write.last('Sub', [holds('Greater'), holds('Less')]);
  return true;
}
