/**
 * The vision transformer of Qwen3-VL (arXiv 2511.21631) for one picture of any size: patches with a learned position, interpolated
 * between four of a table, and rotary positions of row and column; pre-norm layers. Four patches make one row of the result. The
 * outputs of some layers are merged too, each by its own norm and two layers: features for the language model's first layers.
 */
import { op, type Tensor } from '@emac/graph';

import { layers as ofLayers, linear, norm as ofNorm, type TensorEntry } from '../files/expected-tensors.ts';
import { activate } from './activation.ts';
import { patchAttention, turnOf, type PatchedVisionConfig } from './qwen-vision.ts';
import type { Weights } from './weights.ts';

export interface Qwen3VisionConfig extends PatchedVisionConfig {
  /** places per side of the table of positions */
  readonly tableSide: number;
  /** layers whose outputs are merged for the language model, with the number of their merger; ascending */
  readonly deep: readonly { readonly layer: number; readonly merger: number }[];
  /** D, of the language model */
  readonly outputSize: number;
}

export interface TurnedPatches {
  /** [P, channels · time · side · side], the four patches of a token adjacent */
  readonly patches: Tensor;
  /** rotary angles [P, d/2] */
  readonly angles: Tensor;
  /** rows of the table of positions between which a patch lies, int64 [4, P], and their shares [4, P] */
  readonly corners: Tensor;
  readonly shares: Tensor;
}

export interface Qwen3Features {
  /** [R, m² · Dv], m the merge size: normed, the connector's input */
  readonly rows: Tensor;
  /** [R, layers · D]; null without a deep stack */
  readonly deep: Tensor | null;
}

/** of every norm, whatever the configuration says */
const epsilon = 1e-6;

const eye = 'visual';

export function qwen3Vision(
  weights: Weights,
  config: Qwen3VisionConfig,
  { patches, angles, corners, shares }: TurnedPatches,
): Qwen3Features {
  const [count, width] = patches.shape;
  const { hiddenSize, layers, activation } = config;
  const kernel = op.reshape(weights(`${eye}.patch_embed.proj.weight`), [hiddenSize, width!]);
  const seen = op.linear(patches, kernel, weights(`${eye}.patch_embed.proj.bias`));
  const table = op.gather(weights(`${eye}.pos_embed.weight`), corners);
  const positions = op.reduceSum(op.multiply(table, op.reshape(shares, [4, count!, 1])), [0]);
  const turn = turnOf(angles);
  let x = op.reshape(op.add(seen, positions), [1, count!, hiddenSize]);
  const deep: Tensor[] = [];
  for (let layer = 0; layer < layers; layer++) {
    const scope: Scope = { weights, config, prefix: `${eye}.blocks.${layer}` };
    x = op.add(x, patchAttention(scope, norm(scope, 'norm1', x), { turn }));
    const inner = dense(scope, 'mlp.linear_fc1', norm(scope, 'norm2', x));
    x = op.add(x, dense(scope, 'mlp.linear_fc2', activate(activation, inner)));
    const merger = config.deep.find((each) => each.layer === layer)?.merger;
    if (merger !== undefined) deep.push(merged({ ...scope, prefix: mergerName(merger) }, x));
  }
  const rows = inTokens(norm({ weights, config, prefix: `${eye}.merger` }, 'norm', x), config);
  return { rows, deep: deep.length > 0 ? op.concat(deep, 1) : null };
}

/** Every tensor that the network reads. */
export function qwen3VisionTensors(config: Qwen3VisionConfig): TensorEntry[] {
  const {
    hiddenSize: width,
    intermediateSize: inner,
    patchSize: side,
    temporalPatchSize,
    mergeSize,
  } = config;
  const token = mergeSize ** 2 * width;
  return [
    [`${eye}.patch_embed.proj.weight`, [width, 3, temporalPatchSize, side, side]],
    [`${eye}.patch_embed.proj.bias`, [width]],
    [`${eye}.pos_embed.weight`, [config.tableSide ** 2, width]],
    ...ofLayers(config.layers, (layer) => {
      const prefix = `${eye}.blocks.${layer}`;
      return [
        ...ofNorm(`${prefix}.norm1`, width),
        ...linear(`${prefix}.attn.qkv`, [3 * width, width]),
        ...linear(`${prefix}.attn.proj`, [width, width]),
        ...ofNorm(`${prefix}.norm2`, width),
        ...linear(`${prefix}.mlp.linear_fc1`, [inner, width]),
        ...linear(`${prefix}.mlp.linear_fc2`, [width, inner]),
      ];
    }),
    ...ofNorm(`${eye}.merger.norm`, width),
    ...config.deep.flatMap(({ merger }) => [
      ...ofNorm(`${mergerName(merger)}.norm`, token),
      ...linear(`${mergerName(merger)}.linear_fc1`, [token, token]),
      ...linear(`${mergerName(merger)}.linear_fc2`, [config.outputSize, token]),
    ]),
  ];
}

const mergerName = (merger: number): string => `${eye}.deepstack_merger_list.${merger}`;

interface Scope {
  readonly weights: Weights;
  readonly config: Qwen3VisionConfig;
  readonly prefix: string;
}

/** Four patches in one row: [1, P, Dv] → [R, m² · Dv]. */
function inTokens(x: Tensor, { mergeSize, hiddenSize }: Qwen3VisionConfig): Tensor {
  return op.reshape(x, ['R', mergeSize ** 2 * hiddenSize]);
}

/** Patches of a layer as features of the visual tokens, [R, D]; the norm covers a whole token. */
function merged(scope: Scope, x: Tensor): Tensor {
  const inner = dense(scope, 'linear_fc1', norm(scope, 'norm', inTokens(x, scope.config)));
  return dense(scope, 'linear_fc2', activate('gelu', inner));
}

function norm({ weights, prefix }: Scope, name: string, x: Tensor): Tensor {
  const parameters = { weight: weights(`${prefix}.${name}.weight`), bias: weights(`${prefix}.${name}.bias`) };
  return op.layerNorm(x, parameters, epsilon);
}

function dense({ weights, prefix }: Scope, name: string, x: Tensor): Tensor {
  return op.linear(x, weights(`${prefix}.${name}.weight`), weights(`${prefix}.${name}.bias`));
}
