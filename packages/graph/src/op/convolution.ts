/**
 * Convolution and its transpose over one or more spatial axes: x [N, C, …], kernels from ONNX. Both gradients of a
 * convolution are convolutions: that of x is transposed; that of the weight swaps batch and channels, and strides and
 * dilations.
 */
import { EmacError } from '@emac/core';
import { addDimensions, divideDimensions, multiplyDimensions, sameDimension } from '../dimension.ts';
import type { Tensor } from '../graph.ts';
import { shapeText, type Dimension, type Shape } from '../shape.ts';
import { reduceSum } from './broadcast.ts';
import { reshape, transpose } from './shape.ts';

/** Numbers for each spatial axis. */
export interface Geometry {
  readonly strides: readonly number[];
  readonly dilations: readonly number[];
  /** zeros before the first and after the last element */
  readonly pads: readonly (readonly [number, number])[];
}

export interface ConvolutionOptions extends Partial<Geometry> {
  /** [M] */
  readonly bias?: Tensor;
  /** default 1 */
  readonly groups?: number;
}

export interface TransposedOptions extends ConvolutionOptions {
  /** elements added after the last one, per spatial axis; default 0 */
  readonly outputPadding?: readonly number[];
}

interface Full extends Geometry {
  readonly groups: number;
}

function complete(options: ConvolutionOptions, axes: number): Full {
  return {
    strides: options.strides ?? Array.from({ length: axes }, () => 1),
    dilations: options.dilations ?? Array.from({ length: axes }, () => 1),
    pads: options.pads ?? Array.from({ length: axes }, () => [0, 0] as const),
    groups: options.groups ?? 1,
  };
}

function attributesOf({ strides, dilations, pads, groups }: Full) {
  const sides = [...pads.map(([before]) => before), ...pads.map(([, after]) => after)];
  return { strides, dilations, pads: sides, group: groups };
}

/** ⌊(size + pads − dilation·(kernel − 1) − 1)/stride⌋ + 1. */
function windowCount(
  size: Dimension,
  kernel: number,
  place: { readonly stride: number; readonly dilation: number; readonly pads: readonly [number, number] },
): Dimension {
  const reach = place.pads[0] + place.pads[1] - place.dilation * (kernel - 1) - 1;
  return addDimensions(divideDimensions(addDimensions(size, reach), place.stride), 1);
}

/** The sizes of all spatial axes after windows of a kernel. */
export function windowCounts(sizes: Shape, kernel: readonly number[], geometry: Geometry): Shape {
  return sizes.map((size, axis) =>
    windowCount(size, kernel[axis]!, {
      stride: geometry.strides[axis]!,
      dilation: geometry.dilations[axis]!,
      pads: geometry.pads[axis]!,
    }),
  );
}

function kernelOf(place: string, weight: Tensor): number[] {
  const kernel = weight.shape.slice(2);
  if (kernel.some((size) => typeof size !== 'number'))
    throw new EmacError('internal', `${place}: kernel sizes must be numbers, got ${shapeText(weight.shape)}`);
  return kernel as number[];
}

/** x [N, C, …], weight [M, C/groups, kernel…] → [N, M, …]; x, weight and bias receive gradients. */
export function convolution(x: Tensor, weight: Tensor, options: ConvolutionOptions = {}): Tensor {
  const { graph } = x;
  const { bias } = options;
  const full = complete(options, x.shape.length - 2);
  const kernel = kernelOf('convolution', weight);
  const [batch, channels] = x.shape;
  const perGroup = weight.shape[1]!;
  if (
    kernel.length !== x.shape.length - 2 ||
    !sameDimension(channels, multiplyDimensions(perGroup, full.groups))
  )
    throw new EmacError(
      'internal',
      `convolution: x [N, C, …] and weight [M, C/${full.groups}, …] must agree, got ${shapeText(x.shape)} and ${shapeText(weight.shape)}`,
    );
  const shape = [batch!, weight.shape[0]!, ...windowCounts(x.shape.slice(2), kernel, full)];
  return graph.node(
    'Conv',
    bias ? [x, weight, bias] : [x, weight],
    { type: x.type, shape },
    {
      attributes: attributesOf(full),
      origin: {
        inputs: bias ? [x, weight, bias] : [x, weight],
        vjp: (g) => [
          inputGradient(g, { weight, shape: x.shape, full }),
          weightGradient(g, { x, weight, full }),
          ...(bias ? [biasGradient(g)] : []),
        ],
      },
    },
  );
}

/**
 * x [N, C, …], weight [C, M/groups, kernel…] → [N, M, …] of size stride·(in − 1) + dilation·(kernel − 1) + 1 − pads +
 * outputPadding; x, weight and bias receive gradients.
 */
export function transposedConvolution(x: Tensor, weight: Tensor, options: TransposedOptions = {}): Tensor {
  const { graph } = x;
  const { bias } = options;
  const full = complete(options, x.shape.length - 2);
  const kernel = kernelOf('transposedConvolution', weight);
  const outputPadding = options.outputPadding ?? kernel.map(() => 0);
  if (kernel.length !== x.shape.length - 2 || !sameDimension(x.shape[1], weight.shape[0]))
    throw new EmacError(
      'internal',
      `transposedConvolution: x [N, C, …] and weight [C, M/${full.groups}, …] must agree, got ${shapeText(x.shape)} and ${shapeText(weight.shape)}`,
    );
  const sizes = x.shape
    .slice(2)
    .map((size, axis) => addDimensions(spread(size, { kernel, full, axis }), outputPadding[axis]!));
  const shape = [x.shape[0]!, multiplyDimensions(weight.shape[1]!, full.groups), ...sizes];
  return graph.node(
    'ConvTranspose',
    bias ? [x, weight, bias] : [x, weight],
    { type: x.type, shape },
    {
      attributes: { ...attributesOf(full), output_padding: outputPadding },
      origin: {
        inputs: bias ? [x, weight, bias] : [x, weight],
        vjp: (g) => [
          convolution(g, weight, full),
          weightGradient(x, { x: g, weight, full }),
          ...(bias ? [biasGradient(g)] : []),
        ],
      },
    },
  );
}

/** The size covered by `count` windows of a kernel, without pads. */
function spread(
  count: Dimension,
  place: { kernel: readonly number[]; full: Geometry; axis: number },
): Dimension {
  const { kernel, full, axis } = place;
  const [before, after] = full.pads[axis]!;
  const stride = full.strides[axis]!;
  const fixed = full.dilations[axis]! * (kernel[axis]! - 1) + 1 - before - after - stride;
  return addDimensions(multiplyDimensions(count, stride), fixed);
}

const biasGradient = (g: Tensor): Tensor =>
  reduceSum(
    g,
    g.shape.flatMap((_, axis) => (axis === 1 ? [] : [axis])),
  );

/**
 * ∂x of a convolution, in the shape of x. A stride skips up to stride − 1 elements after the last window. If their
 * number is only known at run time, the maximum is computed and the excess cut off.
 */
export function inputGradient(
  g: Tensor,
  of: { readonly weight: Tensor; readonly shape: Shape; readonly full: Full },
): Tensor {
  const { weight, shape, full } = of;
  const kernel = kernelOf('convolution', weight);
  const hidden = shape.slice(2).map((size, axis) => {
    const covered = spread(g.shape[axis + 2]!, { kernel, full, axis });
    const rest = addDimensions(size, multiplyDimensions(-1, covered));
    return typeof rest === 'number' ? rest : full.strides[axis]! - 1;
  });
  const made = transposedConvolution(g, weight, { ...full, outputPadding: hidden });
  const inexact = shape.flatMap((size, axis) =>
    axis > 1 && !sameDimension(size, made.shape[axis]) ? [axis] : [],
  );
  return inexact.length === 0 ? made : firstOf(made, inexact, shape);
}

/** ∂weight of a convolution with input x and output gradient g. */
function weightGradient(g: Tensor, of: { x: Tensor; weight: Tensor; full: Full }): Tensor {
  const { x, weight, full } = of;
  const { groups, strides, dilations, pads } = full;
  const { graph } = x;
  const spatial = x.shape.slice(2);
  const kernel = weight.shape.slice(2);
  const axes = spatial.map((_, axis) => axis + 2);
  const [outer, inner] = weight.shape as readonly [Dimension, Dimension];
  const batch = x.shape[0]!;
  const grouped = transpose(reshape(x, [batch, groups, inner, ...spatial]), [
    2,
    1,
    0,
    ...axes.map((axis) => axis + 1),
  ]);
  const channelsFirst = reshape(grouped, [inner, multiplyDimensions(groups, batch), ...spatial]);
  const turned = { strides: dilations, dilations: strides, pads, groups };
  const sizes = spatial.map((size, axis) => {
    const windows = g.shape[axis + 2]!;
    return typeof size === 'number' && typeof windows === 'number'
      ? windowCount(size, windows, { stride: dilations[axis]!, dilation: strides[axis]!, pads: pads[axis]! })
      : `kernel(${size};${windows})`;
  });
  const raw = graph.node(
    'Conv',
    [channelsFirst, transpose(g, [1, 0, ...axes])],
    { type: x.type, shape: [inner, outer, ...sizes] },
    { attributes: attributesOf(turned) },
  );
  return transpose(firstOf(raw, axes, [inner, outer, ...kernel]), [1, 0, ...axes]);
}

/** The first elements along `axes`, up to the sizes in `shape`. */
function firstOf(x: Tensor, axes: readonly number[], shape: Shape): Tensor {
  const { graph } = x;
  const starts = graph.integers(axes.map(() => 0));
  const ends = graph.shapeVector(axes.map((axis) => shape[axis]!));
  return graph.node('Slice', [x, starts, ends, graph.integers(axes)], { type: x.type, shape });
}
