/** Layers of a trunk: the shapes of their parameters, and what they compute on graph nodes. */
import { EmacError } from '@emac/core';
import { op, type Tensor } from '@emac/graph';

export type Activation = 'tanh' | 'relu';

export type Layer =
  | {
      readonly kind: 'linear';
      readonly width: number;
      readonly activation: Activation | null;
      readonly gain: number;
    }
  | {
      readonly kind: 'convolution';
      readonly filters: number;
      /** of the square window */
      readonly kernel: number;
      readonly stride: number;
      readonly activation: Activation;
      readonly gain: number;
    };

/** A layer's weight [out, in…], its bias [out], and how it starts: orthogonal with a gain, and 0. */
export interface LayerShape {
  readonly weight: readonly number[];
  readonly gain: number;
}

/** Sizes between layers: [n], or [channels, height, width] of a picture. */
type Size = readonly number[];

/** Shapes of all layers after an input of this size. Errors: `usage` for sizes that are none, or a window that leaves nothing. */
export function layerShapes(layers: readonly Layer[], input: Size): readonly LayerShape[] {
  let size = input;
  return layers.map((layer) => {
    const weight = weightShape(layer, size);
    size = outputSize(layer, size);
    return { weight, gain: layer.gain };
  });
}

function weightShape(layer: Layer, size: Size): number[] {
  if (layer.kind === 'linear') return [layer.width, size.reduce((product, each) => product * each, 1)];
  return [layer.filters, size[0]!, layer.kernel, layer.kernel];
}

function outputSize(layer: Layer, size: Size): Size {
  const made = layer.kind === 'linear' ? [layer.width] : convolved(layer, size);
  if (made.some((each) => !Number.isSafeInteger(each) || each < 1))
    throw new EmacError(
      'usage',
      `small network: a layer after [${size.join(', ')}] would have [${made.join(', ')}]`,
    );
  return made;
}

function convolved({ filters, kernel, stride }: Extract<Layer, { kind: 'convolution' }>, size: Size): Size {
  if (size.length !== 3)
    throw new EmacError('usage', `small network: a convolution needs a picture, got [${size.join(', ')}]`);
  return [filters, ...size.slice(1).map((each) => Math.floor((each - kernel) / stride) + 1)];
}

export interface LayerTensors {
  readonly weight: Tensor;
  readonly bias: Tensor;
}

/** x [B, n] or [B, C, H, W] through the layers, [B, width of the last]. */
export function applyLayers(layers: readonly Layer[], x: Tensor, tensors: readonly LayerTensors[]): Tensor {
  return layers.reduce((value, layer, place) => {
    const { weight, bias } = tensors[place]!;
    if (layer.kind === 'linear') return activated(op.linear(flat(value), weight, bias), layer.activation);
    const strides = [layer.stride, layer.stride];
    return activated(op.convolution(value, weight, { bias, strides }), layer.activation);
  }, x);
}

function activated(x: Tensor, activation: Activation | null): Tensor {
  return activation ? op[activation](x) : x;
}

function flat(x: Tensor): Tensor {
  const [batch, ...size] = x.shape as [string, ...number[]];
  return op.reshape(x, [batch, size.reduce((product, each) => product * each, 1)]);
}
