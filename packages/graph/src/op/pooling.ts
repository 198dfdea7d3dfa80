/** Pooling over windows of the spatial axes of x [N, C, …]. */
import { EmacError } from '@emac/core';
import { multiplyDimensions, sameDimension } from '../dimension.ts';
import type { Tensor } from '../graph.ts';
import { shapeText, type Shape } from '../shape.ts';
import { inputGradient, windowCounts, type Geometry } from './convolution.ts';
import { divide } from './elementwise.ts';
import { reshape } from './shape.ts';

export interface PoolingOptions extends Geometry {
  readonly kernel: readonly number[];
}

function attributesOf({ kernel, strides, dilations, pads }: PoolingOptions) {
  const sides = [...pads.map(([before]) => before), ...pads.map(([, after]) => after)];
  return { kernel_shape: kernel, strides, dilations, pads: sides };
}

const pooledShape = (x: Tensor, options: PoolingOptions): Shape => [
  ...x.shape.slice(0, 2),
  ...windowCounts(x.shape.slice(2), options.kernel, options),
];

/** The largest value of each window; the gradient goes to the chosen element, the first one at a tie. */
export function maxPool(x: Tensor, options: PoolingOptions): Tensor {
  const { graph, type } = x;
  const shape = pooledShape(x, options);
  const attributes = attributesOf(options);
  return graph.node(
    'MaxPool',
    [x],
    { type, shape },
    {
      attributes,
      origin: {
        inputs: [x],
        // a second pooling finds the indices, so a forward pass alone does not keep them
        vjp: (g) => {
          const outputs = [
            { type, shape },
            { type: 'int64', shape },
          ] as const;
          const [, places] = graph.nodeWithOutputs('MaxPool', [x], outputs, { attributes });
          return [scatter(g, places!, x)];
        },
      },
    },
  );
}

/** Adds gradients at flat indices into `like`. */
function scatter(g: Tensor, places: Tensor, like: Tensor): Tensor {
  const { graph, type } = like;
  const flat = [multiplyDimensions(...like.shape)];
  const windows = [multiplyDimensions(...g.shape)];
  const zeros = graph.node('Expand', [graph.scalar(0), graph.shapeVector(like.shape)], {
    type,
    shape: like.shape,
  });
  const sum = graph.node(
    'ScatterElements',
    [reshape(zeros, flat), reshape(places, windows), reshape(g, windows)],
    { type, shape: flat },
    { attributes: { axis: 0, reduction: 'add' } },
  );
  return reshape(sum, like.shape);
}

export interface AveragePoolOptions extends PoolingOptions {
  /** whether padding zeros count as elements; default false */
  readonly countsPadding?: boolean;
}

/** The mean of each window; the gradient is spread evenly over the window. */
export function averagePool(x: Tensor, options: AveragePoolOptions): Tensor {
  const { graph, type } = x;
  if (options.dilations.some((dilation) => dilation !== 1))
    throw new EmacError('internal', `averagePool: dilations must be 1, got [${options.dilations.join()}]`);
  const shape = pooledShape(x, options);
  const { dilations: _, ...attributes } = attributesOf(options);
  return graph.node(
    'AveragePool',
    [x],
    { type, shape },
    {
      attributes: { ...attributes, count_include_pad: options.countsPadding ? 1 : 0 },
      origin: { inputs: [x], vjp: (g) => [averageGradient(g, x, options)] },
    },
  );
}

function averageGradient(g: Tensor, x: Tensor, options: AveragePoolOptions): Tensor {
  const { graph } = x;
  const { kernel } = options;
  const planes = multiplyDimensions(...x.shape.slice(0, 2));
  const size = kernel.reduce((product, length) => product * length, 1);
  const ones = graph.constant(new Float32Array(size).fill(1), [1, 1, ...kernel]);
  const each = divide(g, windowSizes(x, options));
  const spread = inputGradient(reshape(each, [planes, 1, ...g.shape.slice(2)]), {
    weight: ones,
    shape: [planes, 1, ...x.shape.slice(2)],
    full: { ...options, groups: 1 },
  });
  return reshape(spread, x.shape);
}

/** How many elements each window averages: one number, or [windows…] if padding does not count. */
function windowSizes(x: Tensor, options: AveragePoolOptions): Tensor {
  const { graph } = x;
  const { kernel, pads, strides, countsPadding } = options;
  if (countsPadding || pads.flat().every((amount) => amount === 0))
    return graph.scalar(kernel.reduce((product, length) => product * length, 1));
  const sizes = x.shape.slice(2);
  const counts = windowCounts(sizes, kernel, options);
  if ([...sizes, ...counts].some((size) => typeof size !== 'number'))
    throw new EmacError(
      'internal',
      `averagePool: the gradient with padding that does not count needs fixed sizes, got ${shapeText(x.shape)}`,
    );
  const inside = (counts as number[]).map((count, axis) =>
    Array.from({ length: count }, (_, window) => {
      const start = window * strides[axis]! - pads[axis]![0];
      return Math.min(start + kernel[axis]!, sizes[axis] as number) - Math.max(start, 0);
    }),
  );
  const products = inside.reduce(
    (all, axis) => all.flatMap((left) => axis.map((right) => left * right)),
    [1],
  );
  return graph.constant(Float32Array.from(products), counts as number[]);
}

/** Whether windows at every stride end exactly with the (padded) input. */
export function coversExactly(sizes: Shape, options: PoolingOptions): boolean {
  const floored = windowCounts(sizes, options.kernel, options);
  const raised = windowCounts(sizes, options.kernel, {
    ...options,
    pads: options.pads.map(([before, after], axis) => [before, after + options.strides[axis]! - 1]),
  });
  return floored.every((count, axis) => sameDimension(count, raised[axis]));
}
