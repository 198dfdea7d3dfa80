/** Comparisons, choices and integer helpers; only `where` and `cast` have gradients. */
import type { Tensor } from '../graph.ts';
import { broadcastShape, normalizeAxis, sameShape, type DataType } from '../shape.ts';
import { reduceSum } from './broadcast.ts';
import { reshape } from './shape.ts';

const isFloat = (type: DataType): boolean => type === 'float32' || type === 'float16' || type === 'bfloat16';

function compare(type: string, a: Tensor, b: Tensor): Tensor {
  return a.graph.node(type, [a, b], { type: 'bool', shape: broadcastShape(type, a.shape, b.shape) });
}

export const equal = (a: Tensor, b: Tensor): Tensor => compare('Equal', a, b);
export const less = (a: Tensor, b: Tensor): Tensor => compare('Less', a, b);
export const lessOrEqual = (a: Tensor, b: Tensor): Tensor => compare('LessOrEqual', a, b);
export const and = (a: Tensor, b: Tensor): Tensor => compare('And', a, b);
export const or = (a: Tensor, b: Tensor): Tensor => compare('Or', a, b);
export const not = (a: Tensor): Tensor => a.graph.node('Not', [a], { type: 'bool', shape: a.shape });

/** Values in another type; between float types the gradient is cast back. */
export function cast(x: Tensor, type: DataType): Tensor {
  if (x.type === type) return x;
  const codes = {
    float32: 1,
    float16: 10,
    bfloat16: 16,
    int64: 7,
    int32: 6,
    int8: 3,
    uint8: 2,
    bool: 9,
  } as const;
  return x.graph.node(
    'Cast',
    [x],
    { type, shape: x.shape },
    {
      attributes: { to: codes[type] },
      ...(isFloat(type) && isFloat(x.type)
        ? { origin: { inputs: [x], vjp: (g: Tensor) => [cast(g, x.type)] } }
        : {}),
    },
  );
}

/** `a` where the condition holds, else `b`; each receives the gradient of its chosen elements. */
export function where(condition: Tensor, a: Tensor, b: Tensor): Tensor {
  const { graph } = condition;
  const shape = broadcastShape('where', broadcastShape('where', condition.shape, a.shape), b.shape);
  const zero = graph.scalar(0);
  const back = (chosen: Tensor, operand: Tensor): Tensor | null => {
    if (!isFloat(operand.type)) return null;
    if (sameShape(chosen.shape, operand.shape)) return chosen;
    const extra = chosen.shape.length - operand.shape.length;
    const axes = chosen.shape.flatMap((d, i) => (i < extra || operand.shape[i - extra] !== d ? [i] : []));
    return reshape(reduceSum(chosen, axes, true), operand.shape);
  };
  return graph.node(
    'Where',
    [condition, a, b],
    { type: a.type, shape },
    {
      origin: {
        inputs: [a, b],
        vjp: (g) => {
          const pick = (left: Tensor, right: Tensor) =>
            graph.node('Where', [condition, left, right], { type: g.type, shape: g.shape });
          return [back(pick(g, zero), a), back(pick(zero, g), b)];
        },
      },
    },
  );
}

/** 0 … n−1 as int64 [n], n being the size of one axis of a tensor. */
export function range(like: Tensor, axis: number): Tensor {
  const along = normalizeAxis('range', axis, like.shape.length);
  const { graph } = like;
  const dimension = like.shape[along]!;
  const limit = reshape(graph.shapeVector([dimension]), []);
  return graph.node('Range', [graph.scalar(0, 'int64'), limit, graph.scalar(1, 'int64')], {
    type: 'int64',
    shape: [dimension],
  });
}
