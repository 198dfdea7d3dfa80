/**
 * Operators copied unchanged, without a gradient. Each is listed with the opset since which it has its meaning in the
 * written opset; output shapes are those stated in the file.
 */
import type { Dimension } from '@emac/graph';
import { otherAxes, withoutGradient, type Operator, type Operators } from './operator.ts';

const since: Readonly<Record<string, number>> = {
  BitShift: 11,
  Compress: 11,
  CumSum: 11,
  Einsum: 12,
  EyeLike: 11,
  GatherND: 12,
  GridSample: 20,
  LpNormalization: 11,
  LpPool: 18,
  NonZero: 11,
  OneHot: 11,
  ReduceProd: 18,
  Resize: 19,
  ReverseSequence: 11,
  ScatterElements: 18,
  ScatterND: 18,
  SpaceToDepth: 13,
  TopK: 11,
};

const asStated =
  (type: string, opset: number): Operator =>
  (node) => {
    if (node.opset < opset)
      throw node.error(`is supported since opset ${opset}, got opset ${node.opset}; export for a newer one`);
    const outputs = node.node.outputs.map((name, index) => {
      const stated = node.declared(index);
      if (stated?.shape) return { type: stated.type, shape: node.bound(stated.shape) };
      throw node.error(
        `has an output "${name}" whose shape the file does not state; run onnx.shape_inference on it first`,
      );
    });
    const attributes = node.plainAttributes();
    const inputs = node.inputs.map((value) => value?.tensor() ?? null);
    return withoutGradient(node, node.graph.nodeWithOutputs(type, inputs, outputs, { attributes }));
  };

/** The index of the largest or smallest value. */
const argument: Operator = (node) => {
  const x = node.tensor(0);
  const axis = node.axis(node.integer('axis', 0), x.shape.length);
  const keepDims = node.integer('keepdims', 1) === 1;
  const kept = (dimension: Dimension, index: number) => (index === axis ? 1 : dimension);
  const shape = keepDims
    ? x.shape.map(kept)
    : otherAxes(x.shape.length, [axis]).map((index) => x.shape[index]!);
  return node.graph.node(
    node.node.type,
    [x],
    { type: 'int64', shape },
    { attributes: node.plainAttributes() },
  );
};

export const passThrough: Operators = {
  ...Object.fromEntries(Object.entries(since).map(([type, opset]) => [type, asStated(type, opset)])),
  ArgMax: argument,
  ArgMin: argument,
};
