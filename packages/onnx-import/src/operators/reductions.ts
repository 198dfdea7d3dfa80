/** Reductions, with axes as attribute or as input, and softmax. */
import { op, type Tensor } from '@emac/graph';
import type { NodeReader } from '../node-reader.ts';
import { merged, onLastAxis, otherAxes, type Operator, type Operators } from './operator.ts';

type Reduce = (x: Tensor, axes: readonly number[], keepDims: boolean) => Tensor;

/** No axes mean all axes, unless the node says that they mean none. */
const reduction =
  (reduce: Reduce): Operator =>
  (node) => {
    const x = node.tensor(0);
    const named = node.axes(1) ?? [];
    if (named.length === 0 && node.integer('noop_with_empty_axes', 0) === 1) return x;
    const axes = named.length > 0 ? named : otherAxes(x.shape.length, []);
    return reduce(x, axes, node.integer('keepdims', 1) === 1);
  };

export const reductions: Operators = {
  ReduceSum: reduction(op.reduceSum),
  ReduceMean: reduction(op.reduceMean),
  ReduceMax: reduction(op.reduceMax),
  ReduceMin: reduction(op.reduceMin),
  ReduceL1: reduction((x, axes, keep) => op.reduceSum(op.abs(x), axes, keep)),
  ReduceL2: reduction((x, axes, keep) => op.sqrt(op.reduceSum(op.square(x), axes, keep))),
  ReduceSumSquare: reduction((x, axes, keep) => op.reduceSum(op.square(x), axes, keep)),
  ReduceLogSum: reduction((x, axes, keep) => op.log(op.reduceSum(x, axes, keep))),
  ReduceLogSumExp: reduction(logSumExp),
  GlobalAveragePool: (node) => overSpace(node, op.reduceMean),
  GlobalMaxPool: (node) => overSpace(node, op.reduceMax),
  Softmax: alongAxis(op.softmax),
  LogSoftmax: alongAxis(op.logSoftmax),
};

/** log Σ eˣ with the largest value subtracted first. */
function logSumExp(x: Tensor, axes: readonly number[], keepDims: boolean): Tensor {
  const largest = op.stopGradient(op.reduceMax(x, axes, true));
  const sum = op.log(op.reduceSum(op.exp(op.subtract(x, largest)), axes, true));
  const result = op.add(sum, largest);
  return keepDims ? result : op.reduceSum(result, axes);
}

function overSpace(node: NodeReader, reduce: Reduce): Tensor {
  const x = node.tensor(0);
  return reduce(x, otherAxes(x.shape.length, [0, 1]), true);
}

/** Before opset 13 all axes from the given one on counted as one. */
function alongAxis(compute: (x: Tensor) => Tensor): Operator {
  return (node) => {
    const x = node.tensor(0);
    const isOld = node.opset < 13;
    const axis = node.axis(node.integer('axis', isOld ? 1 : -1), x.shape.length);
    if (!isOld) return onLastAxis(x, axis, compute);
    const flat = op.reshape(x, [merged(x.shape.slice(0, axis)), merged(x.shape.slice(axis))]);
    return op.reshape(compute(flat), x.shape);
  };
}
