/**
 * CLIP's vision transformer (Radford et al., arXiv 2103.00020) as LLaVA reads it: up to one of its layers, without the
 * class token and without a last norm.
 */
import { op, type Tensor } from '@emac/graph';

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
}

/** prefix of the weights' names */
export const clipPrefix = 'vision_tower.vision_model';

/** Pixel values [B, 3, H, W], normalised → [B, patches, Dv]. */
export function clipVision(weights: Weights, config: ClipVisionConfig, pixelValues: Tensor): Tensor {
  const { hiddenSize, patchSize, layers } = config;
  const embeddings = `${clipPrefix}.embeddings`;
  const pixels = patchRows(pixelValues, patchSize);
  const [batch, count, width] = pixels.shape;
  const kernel = op.reshape(weights(`${embeddings}.patch_embedding.weight`), [hiddenSize, width!]);
  const first = op.reshape(weights(`${embeddings}.class_embedding`), [1, 1, hiddenSize]);
  const tokens = op.concat([op.expand(first, [batch!, 1, hiddenSize]), op.linear(pixels, kernel)], 1);
  const positions = op.reshape(weights(`${embeddings}.position_embedding.weight`), [
    1,
    (count as number) + 1,
    hiddenSize,
  ]);
  let x = norm({ weights, config, prefix: clipPrefix }, 'pre_layrnorm', op.add(tokens, positions));
  for (let layer = 0; layer < layers; layer++) {
    const scope: Scope = { weights, config, prefix: `${clipPrefix}.encoder.layers.${layer}` };
    x = op.add(x, attend(scope, norm(scope, 'layer_norm1', x)));
    const inner = dense(scope, 'mlp.fc1', norm(scope, 'layer_norm2', x));
    x = op.add(x, dense(scope, 'mlp.fc2', activate(config.activation, inner)));
  }
  return op.slice(x, 1, { start: 1 });
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
