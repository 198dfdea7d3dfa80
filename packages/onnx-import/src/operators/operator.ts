/** The importer of one ONNX operator. */
import { op, productOf, type Dimension, type Shape, type Tensor } from '@emac/graph';
import type { NodeReader } from '../node-reader.ts';

/** Builds a node's outputs in the graph, in order; trailing outputs may be missing and are then unsupported. */
export type Operator = (node: NodeReader) => Tensor | readonly Tensor[];

export type Operators = Readonly<Record<string, Operator>>;

/** An operator without a vector–Jacobian product: a gradient through it is an error with its name. */
export function withoutGradient(node: NodeReader, tensors: readonly Tensor[]): Tensor[] {
  const inputs = node.tensors().filter(({ type }) => type === 'float32');
  const refuse = () => {
    throw node.error(
      'has no gradient here, but a wanted gradient runs through it; take the gradient elsewhere or replace the operator before exporting',
    );
  };
  return tensors.map((tensor) =>
    tensor.type === 'float32' ? node.graph.withOrigin(tensor, { inputs, vjp: refuse }) : tensor,
  );
}

/** 0 … rank−1 except `without`. */
export const otherAxes = (rank: number, without: readonly number[]): number[] =>
  Array.from({ length: rank }, (_, axis) => axis).filter((axis) => !without.includes(axis));

/** Numbers of a shape; an error that names the node if a dimension is a symbol. */
export function fixedSizes(node: NodeReader, shape: Shape): readonly number[] {
  if (shape.every((size) => typeof size === 'number')) return shape as readonly number[];
  throw node.error(`needs fixed sizes, got [${shape.join(', ')}]; fix them when exporting`);
}

/** Applies `compute`, which works on the last axis, to another one. */
export function onLastAxis(x: Tensor, axis: number, compute: (x: Tensor) => Tensor): Tensor {
  const rank = x.shape.length;
  if (axis === rank - 1) return compute(x);
  const swap = Array.from({ length: rank }, (_, index) =>
    index === axis ? rank - 1 : index === rank - 1 ? axis : index,
  );
  return op.transpose(compute(op.transpose(x, swap)), swap);
}

/** The product of several dimensions, as one. */
export const merged = (dimensions: readonly Dimension[]): Dimension => productOf(dimensions);
