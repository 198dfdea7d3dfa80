/** Architectures of small networks: a perceptron over arrays, or convolutions over a picture. */
import type { ArrayInput, Prompt } from '@emac/core';
import { arrayOf, inputWidth, readInputs } from './array-inputs.ts';
import { layeredNetwork, type Activation, type Layer } from './layers.ts';
import type { Network } from './parameters.ts';

export interface Architecture {
  /** of one row: [n], or [channels, height, width] */
  readonly input: readonly number[];
  /** description that distinguishes the architecture from others */
  readonly identity: string;
  /** The network for this many actions. Errors: `usage` for invalid sizes, `data` for a file with other outputs. */
  network(actions: number): Network;
  /** Input rows [B · size] of prompts. Errors: `data` if a prompt lacks an input. */
  read(prompts: readonly Prompt[]): Float32Array;
}

/** √2, the gain of hidden layers in CleanRL and Stable-Baselines3. */
const hiddenGain = Math.SQRT2;

export interface MlpOptions {
  readonly inputs: readonly ArrayInput[];
  /** widths of the hidden layers; default 64 and 64 */
  readonly hidden?: readonly number[];
  /** default tanh */
  readonly activation?: Activation;
}

/** A perceptron over numbers. Errors: `usage` for invalid sizes. */
export function mlp({ inputs, hidden = [64, 64], activation = 'tanh' }: MlpOptions): Architecture {
  return {
    ...layered(
      [inputWidth(inputs)],
      hidden.map((width) => ({ kind: 'linear', width, activation, gain: hiddenGain })),
    ),
    read: (prompts) => readInputs(inputs, prompts),
  };
}

export interface CnnOptions {
  /** the prompt's array with the picture, bytes [height, width, 3] */
  readonly array: string;
  readonly height: number;
  readonly width: number;
  /** square windows; default 16 filters of 8 at stride 8 (a tile of MiniGrid's partial view), then 32 of 2 at stride 1 */
  readonly convolutions?: readonly {
    readonly filters: number;
    readonly kernel: number;
    readonly stride: number;
  }[];
  /** widths of the layers after them; default 64 */
  readonly hidden?: readonly number[];
}

const tiles = [
  { filters: 16, kernel: 8, stride: 8 },
  { filters: 32, kernel: 2, stride: 1 },
];

/** Convolutions over a picture, with ReLUs. */
export function cnn({ array, height, width, convolutions = tiles, hidden = [64] }: CnnOptions): Architecture {
  const common = { activation: 'relu', gain: hiddenGain } as const;
  return {
    ...layered(
      [3, height, width],
      [
        ...convolutions.map((each) => ({ kind: 'convolution', ...each, ...common }) as const),
        ...hidden.map((size) => ({ kind: 'linear', width: size, ...common }) as const),
      ],
    ),
    read: (prompts) => readPictures(prompts, { array, height, width }),
  };
}

/** Policy and value function each have a trunk of these layers and an output layer. */
function layered(input: readonly number[], trunk: readonly Layer[]): Omit<Architecture, 'read'> {
  const layers = trunk.map(({ gain: _ofTheStart, ...layer }) => Object.values(layer).join(' '));
  return {
    input,
    identity: [input.join('×'), ...layers].join(', '),
    network: (actions) => layeredNetwork(trunk, { input, actions }),
  };
}

/** [B, 3, height, width] from 0 to 1. */
export function readPictures(
  prompts: readonly Prompt[],
  { array, height, width }: Pick<CnnOptions, 'array' | 'height' | 'width'>,
): Float32Array {
  const pixels = height * width;
  const rows = new Float32Array(prompts.length * 3 * pixels);
  prompts.forEach((prompt, row) => {
    const { data } = arrayOf(prompt, { array, size: 3 * pixels });
    for (let channel = 0; channel < 3; channel++)
      for (let pixel = 0; pixel < pixels; pixel++)
        rows[(row * 3 + channel) * pixels + pixel] = data[3 * pixel + channel]! / 255;
  });
  return rows;
}
