/**
 * The vision transformers of Qwen2-VL (arXiv 2409.12191) and Qwen2.5-VL (arXiv 2502.13923) for one picture of any size:
 * patches with rotary positions of row and column, pre-norm layers, and a last norm over patches. Four patches make one
 * row of the result. Qwen2.5-VL has RMSNorm, SwiGLU and, in most layers, attention within windows; Qwen2-VL has
 * LayerNorm, one activation and no windows. Departure: windows are a mask over all patches; patches are not reordered.
 */
import { op, type Tensor } from '@emac/graph';

import { activate, type Activation } from './activation.ts';
import { hiddenScore } from './attention-bias.ts';
import { mergeHeads, splitHeads } from './heads.ts';
import type { Weights } from './weights.ts';

/** The sizes of all Qwen vision encoders. */
export interface PatchedVisionConfig {
  readonly hiddenSize: number;
  readonly intermediateSize: number;
  readonly layers: number;
  readonly heads: number;
  readonly patchSize: number;
  readonly temporalPatchSize: number;
  /** patches per side of a visual token */
  readonly mergeSize: number;
  readonly activation: Activation;
}

export interface QwenVisionConfig extends PatchedVisionConfig {
  /** Qwen2.5-VL's gated layers with RMSNorm */
  readonly gated: boolean;
  /** side of a window in visual tokens, and the layers with full attention; null without windows */
  readonly windows: { readonly side: number; readonly fullLayers: readonly number[] } | null;
}

export interface Patches {
  /** [P, channels · time · side · side], the four patches of a token adjacent */
  readonly patches: Tensor;
  /** rotary angles [P, d/2] */
  readonly angles: Tensor;
  /** int64 [P], equal numbers see each other; absent without windows */
  readonly windows?: Tensor;
}

/** of every norm, whatever the configuration says */
const epsilon = 1e-6;

/** → [P / m², m² · Dv], m the merge size. */
export function qwenVision(
  weights: Weights,
  config: QwenVisionConfig,
  { patches, angles, windows }: Patches,
): Tensor {
  const { graph } = patches;
  const [count, width] = patches.shape;
  const { hiddenSize, layers, mergeSize } = config;
  const kernel = op.reshape(weights('visual.patch_embed.proj.weight'), [hiddenSize, width!]);
  const turn = turnOf(angles);
  const mask =
    windows &&
    op.where(
      op.equal(op.reshape(windows, [1, 1, count!, 1]), op.reshape(windows, [1, 1, 1, count!])),
      graph.scalar(0),
      graph.scalar(hiddenScore),
    );
  let x = op.reshape(op.linear(patches, kernel), [1, count!, hiddenSize]);
  for (let layer = 0; layer < layers; layer++) {
    const scope: Scope = { weights, config, prefix: `visual.blocks.${layer}` };
    const bias = config.windows?.fullLayers.includes(layer) ? undefined : mask;
    x = op.add(x, patchAttention(scope, norm(scope, 'norm1', x), { turn, ...(bias && { bias }) }));
    x = op.add(x, feedForward(scope, norm(scope, 'norm2', x)));
  }
  const merged = norm({ weights, config, prefix: 'visual.merger' }, 'ln_q', x);
  return op.reshape(merged, ['R', mergeSize ** 2 * hiddenSize]);
}

interface Scope {
  readonly weights: Weights;
  readonly config: QwenVisionConfig;
  readonly prefix: string;
}

type Turn = Parameters<typeof op.rotary>[1];

/** Rotation of one picture's patches by angles [P, d/2]. */
export function turnOf(angles: Tensor): Turn {
  return {
    positionIds: op.reshape(op.range(angles, 0), [1, angles.shape[0]!]),
    cos: op.cos(angles),
    sin: op.sin(angles),
  };
}

function norm({ weights, config, prefix }: Scope, name: string, x: Tensor): Tensor {
  const weight = weights(`${prefix}.${name}.weight`);
  return config.gated
    ? op.rmsNorm(x, weight, epsilon)
    : op.layerNorm(x, { weight, bias: weights(`${prefix}.${name}.bias`) }, epsilon);
}

/** Attention among patches, of one product for query, key and value: [1, P, Dv] → the same. */
export function patchAttention(
  scope: Omit<Scope, 'config'> & { readonly config: PatchedVisionConfig },
  x: Tensor,
  { turn, bias }: { turn: Turn; bias?: Tensor },
): Tensor {
  const { hiddenSize, heads } = scope.config;
  const all = dense(scope, 'attn.qkv', x);
  const part = (index: number) =>
    splitHeads(op.slice(all, 2, { start: index * hiddenSize, end: (index + 1) * hiddenSize }), heads);
  const mixed = op.attention({
    query: op.rotary(part(0), turn),
    key: op.rotary(part(1), turn),
    value: part(2),
    scale: 1 / Math.sqrt(hiddenSize / heads),
    ...(bias && { bias }),
  });
  return dense(scope, 'attn.proj', mergeHeads(mixed));
}

function feedForward(scope: Scope, x: Tensor): Tensor {
  const { activation, gated } = scope.config;
  if (!gated) return dense(scope, 'mlp.fc2', activate(activation, dense(scope, 'mlp.fc1', x)));
  const gate = activate(activation, dense(scope, 'mlp.gate_proj', x));
  return dense(scope, 'mlp.down_proj', op.multiply(gate, dense(scope, 'mlp.up_proj', x)));
}

function dense({ weights, prefix }: Omit<Scope, 'config'>, name: string, x: Tensor): Tensor {
  return op.linear(x, weights(`${prefix}.${name}.weight`), weights(`${prefix}.${name}.bias`));
}
