/** Layers of a trunk: the shapes of their parameters, their initialization, and their computation in graph nodes. */
import { EmacError } from '@emac/core';
import { op, type Tensor } from '@emac/graph';
import { orthogonal } from './orthogonal.ts';
import type { Network, Part, ParameterStart } from './parameters.ts';

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

/** Sizes between layers: [n], or [channels, height, width] of a picture. */
type Size = readonly number[];

/** Gains of the last layers: the policy starts near uniform, values at usual size. */
const [policyGain, valueGain] = [0.01, 1];

/** A trunk and an output layer for each part, without sharing. Errors: `usage` for invalid sizes, or a window that leaves nothing. */
export function layeredNetwork(
  trunk: readonly Layer[],
  { input, actions }: { readonly input: Size; readonly actions: number },
): Network {
  const parts = {
    policy: [...trunk, { kind: 'linear', width: actions, activation: null, gain: policyGain } as const],
    value: [...trunk, { kind: 'linear', width: 1, activation: null, gain: valueGain } as const],
  };
  const starts = {
    policy: startsOf('policy', parts.policy, input),
    value: startsOf('value', parts.value, input),
  };
  const flatStarts = (part: Part) => starts[part].flatMap(({ weight, bias }) => [weight, bias]);
  return {
    parameters: { policy: flatStarts('policy'), value: flatStarts('value') },
    apply: (x, parameter, { policy }) => {
      const through = (part: Part) => {
        const tensors = starts[part].map(({ weight, bias }) => ({
          weight: parameter(weight),
          bias: parameter(bias),
        }));
        return applyLayers(parts[part], x, tensors);
      };
      return { logits: policy ? through('policy') : null, values: through('value') };
    },
  };
}

/** `policy.0.weight` [out, in…], orthogonal with the layer's gain, `policy.0.bias` [out], 0, `policy.1.weight` … */
function startsOf(
  part: Part,
  layers: readonly Layer[],
  input: Size,
): readonly Record<'weight' | 'bias', ParameterStart>[] {
  let size = input;
  return layers.map((layer, place) => {
    const shape = checkedShape(weightShape(layer, size), size);
    const name = `${part}.${place}`;
    size = outputSize(layer, size);
    const weight = `${name}.weight`;
    return {
      weight: {
        name: weight,
        shape,
        start: (random) => orthogonal(random.stream(weight), shape, layer.gain),
      },
      bias: { name: `${name}.bias`, shape: [shape[0]!], start: () => new Float32Array(shape[0]!) },
    };
  });
}

function weightShape(layer: Layer, size: Size): number[] {
  if (layer.kind === 'linear') return [layer.width, size.reduce((product, each) => product * each, 1)];
  return [layer.filters, size[0]!, layer.kernel, layer.kernel];
}

/** far above any use, and made orthogonal in seconds */
const mostWeights = 1e8;

/** Errors: `usage` for more weights than a small network has. */
function checkedShape(shape: number[], size: Size): number[] {
  const count = shape.reduce((product, each) => product * each, 1);
  if (count <= mostWeights) return shape;
  const [whole, most] = [count, mostWeights].map((each) => each.toLocaleString('en-US'));
  throw new EmacError(
    'usage',
    `small network: a layer over [${size.join(', ')}] would have ${whole} weights, at most ${most}; make the observation smaller`,
  );
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

interface LayerTensors {
  readonly weight: Tensor;
  readonly bias: Tensor;
}

/** x [B, n] or [B, C, H, W] through the layers, [B, width of the last]. */
function applyLayers(layers: readonly Layer[], x: Tensor, tensors: readonly LayerTensors[]): Tensor {
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
