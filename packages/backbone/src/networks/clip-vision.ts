/**
 * The vision transformers CLIP (Radford et al., arXiv 2103.00020) and SigLIP (Zhai et al., arXiv 2303.15343) under Hugging
 * Face's names, up to one of their layers. CLIP has a class token and a norm before the first layer, SigLIP neither.
 */
import { op, type Tensor } from '@emac/graph';

import { layers as ofLayers, linear, norm as ofNorm, type TensorEntry } from '../files/expected-tensors.ts';
import { activate, type Activation } from './activation.ts';
import { mergeHeads, splitHeads } from './heads.ts';
import { patchRows } from './vision.ts';
import type { Weights } from './weights.ts';

export interface ClipVisionConfig {
  readonly hiddenSize: number;
  readonly intermediateSize: number;
  /** computed layers; later ones are not read */
  readonly layers: number;
  readonly heads: number;
  readonly imageSize: number;
  readonly patchSize: number;
  readonly activation: Activation;
  readonly normEpsilon: number;
  /** absent: CLIP's class token, norm before the layers, and patches without a bias */
  readonly isSiglip?: true;
  /** the result passes the norm after the last layer; absent: it does not */
  readonly lastNorm?: true;
}

export interface ClipEye {
  /** prefix of the weights' names */
  readonly prefix: string;
  /** [B, 3, H, W], normalised */
  readonly pixelValues: Tensor;
  /** for each patch its row of the position table; absent: row by row, as many as there are patches */
  readonly positions?: readonly number[];
}

/** Patches per side of a picture of the encoder's size. */
export const clipSide = ({ imageSize, patchSize }: ClipVisionConfig): number =>
  Math.floor(imageSize / patchSize);

/** → [B, tokens, Dv]: CLIP's class token, then the patches. */
export function clipVision(
  weights: Weights,
  config: ClipVisionConfig,
  { prefix, pixelValues, positions }: ClipEye,
): Tensor {
  const whole: Scope = { weights, config, prefix };
  const tokens = embedded(whole, pixelValues);
  const table = weights(`${prefix}.embeddings.position_embedding.weight`);
  const rows = positions ? op.gather(table, tokens.graph.integers([...positions])) : table;
  const [, count, width] = tokens.shape;
  let x = op.add(tokens, op.reshape(rows, [1, count!, width!]));
  if (!config.isSiglip) x = norm(whole, 'pre_layrnorm', x);
  for (let layer = 0; layer < config.layers; layer++) {
    const scope: Scope = { weights, config, prefix: `${prefix}.encoder.layers.${layer}` };
    x = op.add(x, attend(scope, norm(scope, 'layer_norm1', x)));
    const inner = dense(scope, 'mlp.fc1', norm(scope, 'layer_norm2', x));
    x = op.add(x, dense(scope, 'mlp.fc2', activate(config.activation, inner)));
  }
  return config.lastNorm ? norm(whole, 'post_layernorm', x) : x;
}

/** Every tensor that the network reads. */
export function clipTensors(config: ClipVisionConfig, prefix: string): TensorEntry[] {
  const { hiddenSize: width, intermediateSize: inner, patchSize: size, isSiglip, lastNorm } = config;
  const embeddings = `${prefix}.embeddings`;
  const patches = clipSide(config) ** 2;
  const first: TensorEntry[] = isSiglip
    ? [[`${embeddings}.patch_embedding.bias`, [width]]]
    : [[`${embeddings}.class_embedding`, [width]], ...ofNorm(`${prefix}.pre_layrnorm`, width)];
  return [
    ...first,
    [`${embeddings}.patch_embedding.weight`, [width, 3, size, size]],
    [`${embeddings}.position_embedding.weight`, [isSiglip ? patches : patches + 1, width]],
    ...ofLayers(config.layers, (layer) => {
      const each = `${prefix}.encoder.layers.${layer}`;
      return [
        ...ofNorm(`${each}.layer_norm1`, width),
        ...['q_proj', 'k_proj', 'v_proj', 'out_proj'].flatMap((name) =>
          linear(`${each}.self_attn.${name}`, [width, width]),
        ),
        ...ofNorm(`${each}.layer_norm2`, width),
        ...linear(`${each}.mlp.fc1`, [inner, width]),
        ...linear(`${each}.mlp.fc2`, [width, inner]),
      ];
    }),
    ...(lastNorm ? ofNorm(`${prefix}.post_layernorm`, width) : []),
  ];
}

/** The class token, if any, and the patches, without positions. */
function embedded({ weights, config, prefix }: Scope, pixelValues: Tensor): Tensor {
  const { hiddenSize, patchSize, isSiglip } = config;
  const embeddings = `${prefix}.embeddings`;
  const pixels = patchRows(pixelValues, patchSize);
  const [batch, , width] = pixels.shape;
  const kernel = op.reshape(weights(`${embeddings}.patch_embedding.weight`), [hiddenSize, width!]);
  if (isSiglip) return op.linear(pixels, kernel, weights(`${embeddings}.patch_embedding.bias`));
  const first = op.reshape(weights(`${embeddings}.class_embedding`), [1, 1, hiddenSize]);
  return op.concat([op.expand(first, [batch!, 1, hiddenSize]), op.linear(pixels, kernel)], 1);
}

interface Scope {
  readonly weights: Weights;
  readonly config: ClipVisionConfig;
  readonly prefix: string;
}

function norm({ weights, config, prefix }: Scope, name: string, x: Tensor): Tensor {
  const parameters = { weight: weights(`${prefix}.${name}.weight`), bias: weights(`${prefix}.${name}.bias`) };
  return op.layerNorm(x, parameters, config.normEpsilon);
}

function attend(scope: Scope, x: Tensor): Tensor {
  const { hiddenSize, heads } = scope.config;
  const part = (name: string) => splitHeads(dense(scope, `self_attn.${name}`, x), heads);
  const mixed = op.attention({
    query: part('q_proj'),
    key: part('k_proj'),
    value: part('v_proj'),
    scale: 1 / Math.sqrt(hiddenSize / heads),
  });
  return dense(scope, 'self_attn.out_proj', mergeHeads(mixed));
}

function dense({ weights, prefix }: Scope, name: string, x: Tensor): Tensor {
  return op.linear(x, weights(`${prefix}.${name}.weight`), weights(`${prefix}.${name}.bias`));
}
