/**
 * EVA-CLIP's vision transformer as InstructBLIP uses it (Fang et al., arXiv 2211.07636): patches and a class
 * token with learned positions, pre-norm layers, and a last norm over all tokens. The patch convolution is a
 * matrix product, since its stride is its size. Positions are not interpolated: the image has the model's size.
 */
import { EmacError } from '@emac/core';
import { op, type Tensor } from '@emac/graph';

import { activate } from './activation.ts';
import { mergeHeads, splitHeads } from './heads.ts';
import type { VisionConfig } from '../files/model-config.ts';
import type { Weights } from './weights.ts';

/** Number of image tokens: patches and the class token. */
export function visionTokens({ imageSize, patchSize }: VisionConfig): number {
  return Math.floor(imageSize / patchSize) ** 2 + 1;
}

/** pixelValues [B, 3, H, W] float32, normalised → [B, patches + 1, Dv] after the last norm. */
export function vision(weights: Weights, config: VisionConfig, pixelValues: Tensor): Tensor {
  let x = embedPatches(weights, config, pixelValues);
  for (let layer = 0; layer < config.layers; layer++) {
    const prefix = `vision_model.encoder.layers.${layer}`;
    x = op.add(
      x,
      attend(weights, config, { prefix, x: norm(weights, config, { name: `${prefix}.layer_norm1`, x }) }),
    );
    x = op.add(
      x,
      feedForward(weights, config, {
        prefix,
        x: norm(weights, config, { name: `${prefix}.layer_norm2`, x }),
      }),
    );
  }
  const last = { ...config, normEpsilon: config.finalNormEpsilon };
  return norm(weights, last, { name: 'vision_model.post_layernorm', x });
}

/** The class token and the patches, row by row, with positions added. */
function embedPatches(
  weights: Weights,
  { hiddenSize, patchSize: size }: VisionConfig,
  pixelValues: Tensor,
): Tensor {
  const pixels = patchRows(pixelValues, size);
  const [batch, count, width] = pixels.shape;
  const kernel = op.reshape(weights('vision_model.embeddings.patch_embedding.weight'), [hiddenSize, width!]);
  const patches = op.linear(pixels, kernel, weights('vision_model.embeddings.patch_embedding.bias'));
  const classToken = op.expand(weights('vision_model.embeddings.class_embedding'), [batch!, 1, hiddenSize]);
  const positions = cropped(weights('vision_model.embeddings.position_embedding'), 1, (count as number) + 1);
  return op.add(op.concat([classToken, patches], 1), positions);
}

/** Pixel values [B, 3, H, W] as whole patches, row by row: [B, patches, 3 · size²]. */
export function patchRows(pixelValues: Tensor, size: number): Tensor {
  const [batch, channels, height, width] = pixelValues.shape;
  if (channels !== 3 || typeof height !== 'number' || typeof width !== 'number')
    throw new EmacError(
      'internal',
      `vision: pixel values must be [B, 3, H, W], got [${pixelValues.shape.join(', ')}]`,
    );
  const [rows, columns] = [Math.floor(height / size), Math.floor(width / size)];
  const whole = cropped(cropped(pixelValues, 2, rows * size), 3, columns * size);
  const grid = op.transpose(op.reshape(whole, [batch!, 3, rows, size, columns, size]), [0, 2, 4, 1, 3, 5]);
  return op.reshape(grid, [batch!, rows * columns, 3 * size * size]);
}

function cropped(x: Tensor, axis: number, size: number): Tensor {
  return x.shape[axis] === size ? x : op.slice(x, axis, { start: 0, end: size });
}

interface Block {
  /** name prefix of the parameters, or `name` of a norm */
  readonly prefix: string;
  readonly x: Tensor;
}

function norm(weights: Weights, config: VisionConfig, { name, x }: { name: string; x: Tensor }): Tensor {
  return op.layerNorm(
    x,
    { weight: weights(`${name}.weight`), bias: weights(`${name}.bias`) },
    config.normEpsilon,
  );
}

function attend(weights: Weights, config: VisionConfig, { prefix, x }: Block): Tensor {
  const { hiddenSize, heads } = config;
  const name = `${prefix}.self_attn`;
  const bias = config.queryKeyValueBias ? weights(`${name}.qkv.bias`) : undefined;
  const all = op.linear(x, weights(`${name}.qkv.weight`), bias);
  const part = (index: number) =>
    splitHeads(op.slice(all, 2, { start: index * hiddenSize, end: (index + 1) * hiddenSize }), heads);
  const scale = 1 / Math.sqrt(hiddenSize / heads);
  const mixed = op.attention({ query: part(0), key: part(1), value: part(2), scale });
  return op.linear(
    mergeHeads(mixed),
    weights(`${name}.projection.weight`),
    weights(`${name}.projection.bias`),
  );
}

function feedForward(weights: Weights, config: VisionConfig, { prefix, x }: Block): Tensor {
  const inner = op.linear(x, weights(`${prefix}.mlp.fc1.weight`), weights(`${prefix}.mlp.fc1.bias`));
  const active = activate(config.activation, inner);
  return op.linear(active, weights(`${prefix}.mlp.fc2.weight`), weights(`${prefix}.mlp.fc2.bias`));
}
