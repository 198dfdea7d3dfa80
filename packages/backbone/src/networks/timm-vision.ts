/**
 * The plain vision transformer of the library timm (Dosovitskiy et al., arXiv 2010.11929) as Prismatic models read it: the
 * patches after the second-last layer, without a last norm and without the tokens before them. Its settings make it DINOv2
 * with registers (arXiv 2309.16588), SigLIP (arXiv 2303.15343) or CLIP.
 */
import { op, type Tensor } from '@emac/graph';

import { activate, type Activation } from './activation.ts';
import { mergeHeads, splitHeads } from './heads.ts';
import { patchRows } from './vision.ts';
import type { Weights } from './weights.ts';

export interface TimmVisionConfig {
  readonly hiddenSize: number;
  readonly intermediateSize: number;
  /** computed layers; the last one is not read */
  readonly layers: number;
  readonly heads: number;
  readonly imageSize: number;
  readonly patchSize: number;
  readonly activation: Activation;
  readonly normEpsilon: number;
  readonly classToken: boolean;
  /** tokens beside the class token that hold no part of the picture */
  readonly registers: number;
  /** tokens with positions: patches alone, or class token and registers too */
  readonly positions: 'patches' | 'all';
  /** each layer's two results are scaled elementwise */
  readonly layerScale: boolean;
  /** a norm before the first layer, and no bias in the patches' product (CLIP) */
  readonly normFirst: boolean;
}

/** Patches of a picture. */
export function timmPatches({ imageSize, patchSize }: TimmVisionConfig): number {
  return Math.floor(imageSize / patchSize) ** 2;
}

/** Tokens before the patches. */
export function timmPrefix({ classToken, registers }: TimmVisionConfig): number {
  return (classToken ? 1 : 0) + registers;
}

export interface TimmEye {
  /** prefix of the weights' names */
  readonly prefix: string;
  /** [B, 3, H, W], normalised */
  readonly pixelValues: Tensor;
}

/** → [B, patches, Dv]. */
export function timmVision(
  weights: Weights,
  config: TimmVisionConfig,
  { prefix, pixelValues }: TimmEye,
): Tensor {
  const whole: Scope = { weights, config, prefix };
  let x = embedded(whole, pixelValues);
  if (config.normFirst) x = norm(whole, 'norm_pre', x);
  for (let layer = 0; layer < config.layers; layer++) {
    const scope: Scope = { weights, config, prefix: `${prefix}.blocks.${layer}` };
    x = op.add(x, scaled(scope, 'ls1', attend(scope, norm(scope, 'norm1', x))));
    const inner = activate(config.activation, dense(scope, 'mlp.fc1', norm(scope, 'norm2', x)));
    x = op.add(x, scaled(scope, 'ls2', dense(scope, 'mlp.fc2', inner)));
  }
  const before = timmPrefix(config);
  return before === 0 ? x : op.slice(x, 1, { start: before });
}

interface Scope {
  readonly weights: Weights;
  readonly config: TimmVisionConfig;
  readonly prefix: string;
}

/** Class token, registers and patches with their positions. */
function embedded({ weights, config, prefix }: Scope, pixelValues: Tensor): Tensor {
  const { hiddenSize, patchSize, classToken, registers, positions, normFirst } = config;
  const pixels = patchRows(pixelValues, patchSize);
  const [batch, , width] = pixels.shape;
  const kernel = op.reshape(weights(`${prefix}.patch_embed.proj.weight`), [hiddenSize, width!]);
  const bias = normFirst ? undefined : weights(`${prefix}.patch_embed.proj.bias`);
  const patches = op.linear(pixels, kernel, bias);
  const places = weights(`${prefix}.pos_embed`);
  const repeated = (name: string, count: number): Tensor =>
    op.expand(weights(`${prefix}.${name}`), [batch!, count, hiddenSize]);
  const first = [
    ...(classToken ? [repeated('cls_token', 1)] : []),
    ...(registers > 0 ? [repeated('reg_token', registers)] : []),
  ];
  const together = (rest: Tensor) => (first.length > 0 ? op.concat([...first, rest], 1) : rest);
  return positions === 'patches' ? together(op.add(patches, places)) : op.add(together(patches), places);
}

function norm({ weights, config, prefix }: Scope, name: string, x: Tensor): Tensor {
  const parameters = { weight: weights(`${prefix}.${name}.weight`), bias: weights(`${prefix}.${name}.bias`) };
  return op.layerNorm(x, parameters, config.normEpsilon);
}

function scaled({ weights, config, prefix }: Scope, name: string, x: Tensor): Tensor {
  return config.layerScale ? op.multiply(x, weights(`${prefix}.${name}.scale_factor`)) : x;
}

function attend(scope: Scope, x: Tensor): Tensor {
  const { hiddenSize, heads } = scope.config;
  const all = dense(scope, 'attn.qkv', x);
  const part = (index: number) =>
    splitHeads(op.slice(all, 2, { start: index * hiddenSize, end: (index + 1) * hiddenSize }), heads);
  const scale = 1 / Math.sqrt(hiddenSize / heads);
  const mixed = op.attention({ query: part(0), key: part(1), value: part(2), scale });
  return dense(scope, 'attn.proj', mergeHeads(mixed));
}

function dense({ weights, prefix }: Scope, name: string, x: Tensor): Tensor {
  return op.linear(x, weights(`${prefix}.${name}.weight`), weights(`${prefix}.${name}.bias`));
}
