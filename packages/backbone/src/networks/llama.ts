/**
 * LLaMA (Touvron et al., arXiv 2302.13971): pre-norm layers with RMSNorm, rotary positions, grouped keys and
 * values (Ainslie et al., arXiv 2305.13245) and a SwiGLU feed-forward. Everything is differentiable in the
 * embeddings and in the weights.
 */
import { op, type Tensor } from '@emac/graph';

import { activate } from './activation.ts';
import type { Adapt } from './adapter.ts';
import { fromPosition } from './from-position.ts';
import { mergeHeads, splitHeads } from './heads.ts';
import type { LlamaConfig } from '../files/model-config.ts';
import { maskOf, rotations } from './layer-kinds.ts';
import type { Rotation } from './rotary-tables.ts';
import type { Weights } from './weights.ts';

/** One layer's projections, positions already applied. */
export interface AttentionHeads {
  /** [B, H, S, d] */
  readonly query: Tensor;
  /** [B, Hkv, S, d] */
  readonly key: Tensor;
  /** [B, Hkv, S, d] */
  readonly value: Tensor;
}

export interface KeysAndValues {
  /** one tensor [B, Hkv, T, d] for each layer */
  readonly keys: readonly Tensor[];
  readonly values: readonly Tensor[];
}

export interface LlamaInputs {
  /** [B, S, D] */
  readonly embeddings: Tensor;
  /** int64 [B, S]; [3, B, S] where positions have three axes */
  readonly positionIds: Tensor;
  /** added to scores, [B, 1, S, past + S]; hides every later position; absent: every position sees every other */
  readonly mask?: Tensor;
  /** the same for layers with a window, where `windowLayers` says which; absent: as `mask` */
  readonly windowMask?: Tensor;
  /** keys and values of earlier positions */
  readonly past?: KeysAndValues;
  /** outputs of the last layer: every position, only the last, or all from one (int64 [1]) on; keys and values are complete */
  readonly positions?: 'all' | 'last' | Tensor;
  /** terms that adapters add to projections; default none */
  readonly adapt?: Adapt;
  /** what is added to the outputs of the first layers, [B, S, D] each (`deepInputs`); default nothing */
  readonly deep?: readonly Tensor[];
}

export interface LlamaOutputs extends KeysAndValues {
  /** [B, S, D] after the last norm; [B, 1, D] for the last position, [B, A, D] from one position on */
  readonly hidden: Tensor;
}

/** How a layer mixes positions → [B, H, S, d]. */
export type Attend = (heads: AttentionHeads, layer: number) => Tensor;

/** Hidden states after the last norm, and the keys and values of all positions (past ones included). */
export function llama(weights: Weights, config: LlamaConfig, inputs: LlamaInputs): LlamaOutputs {
  const keys: Tensor[] = [];
  const values: Tensor[] = [];
  const attend: Attend = ({ query, key, value }, layer) => {
    keys[layer] = withPast(inputs.past?.keys[layer], key);
    values[layer] = withPast(inputs.past?.values[layer], value);
    const mask = maskOf(config, inputs, layer);
    return op.causalAttention({
      query,
      key: repeated(keys[layer], config),
      value: repeated(values[layer], config),
      scale: scoreScale(config),
      ...(mask ? { bias: answering(inputs, config, layer)(mask, 2) } : {}),
    });
  };
  const hidden = llamaLayers(weights, config, { ...inputs, attend });
  return { hidden, keys, values };
}

/** What scores are multiplied by. */
export function scoreScale({ attentionScale, headSize }: LlamaConfig): number {
  return attentionScale ?? 1 / Math.sqrt(headSize);
}

/** The layers around a given attention; embeddings [B, S, D] → [B, S, D] or [B, 1, D] after the last norm. */
export function llamaLayers(
  weights: Weights,
  config: LlamaConfig,
  inputs: Pick<LlamaInputs, 'embeddings' | 'positionIds' | 'positions' | 'adapt' | 'deep'> & {
    attend: Attend;
  },
): Tensor {
  const { embeddings, positionIds, attend, adapt = () => null } = inputs;
  const norm = (name: string, x: Tensor) => normed({ weights, config }, `language_model.model.${name}`, x);
  const turns = rotations(config, positionIds);
  let x = embeddings;
  for (let layer = 0; layer < config.layers; layer++) {
    const scope: Scope = { weights, config, adapt, prefix: `language_model.model.layers.${layer}` };
    const turn = turns(layer);
    const seen = norm(`layers.${layer}.input_layernorm`, x);
    const kept = answering(inputs, config, layer);
    const heads: AttentionHeads = {
      query: query(scope, kept(seen, 1), { ...turn, positionIds: kept(turn.positionIds, 1) }),
      ...keysAndValues(scope, seen, turn),
    };
    const mixed = mergeHeads(attend(heads, layer));
    const rest = kept(x, 1);
    const behind = (name: string, y: Tensor) => (config.normsBehind ? norm(`layers.${layer}.${name}`, y) : y);
    x = op.add(rest, behind('post_attention_layernorm', dense(scope, 'self_attn.o_proj', mixed)));
    const before = config.normsBehind ? 'pre_feedforward_layernorm' : 'post_attention_layernorm';
    const fed = feedForward(scope, norm(`layers.${layer}.${before}`, x));
    x = op.add(x, behind('post_feedforward_layernorm', fed));
    const added = inputs.deep?.[layer];
    if (added) x = op.add(x, kept(added, 1));
  }
  return norm('norm', x);
}

interface Scope {
  readonly weights: Weights;
  readonly config: LlamaConfig;
  readonly adapt: Adapt;
  readonly prefix: string;
}

/** The positions that a layer must output: the last layer computes only the requested ones. */
function answering({ positions }: Pick<LlamaInputs, 'positions'>, { layers }: LlamaConfig, layer: number) {
  return (x: Tensor, axis: number): Tensor => {
    if (layer < layers - 1 || positions === undefined || positions === 'all') return x;
    return positions === 'last' ? op.slice(x, axis, { start: -1 }) : fromPosition(x, axis, positions);
  };
}

function query(scope: Scope, x: Tensor, turn: Rotation): Tensor {
  const heads = splitHeads(dense(scope, 'self_attn.q_proj', x), scope.config.heads);
  return op.rotary(normalized(scope, 'self_attn.q_norm', heads), turn);
}

function keysAndValues(scope: Scope, x: Tensor, turn: Rotation): Omit<AttentionHeads, 'query'> {
  const heads = (name: string) =>
    splitHeads(dense(scope, `self_attn.${name}`, x), scope.config.keyValueHeads);
  return {
    key: op.rotary(normalized(scope, 'self_attn.k_norm', heads('k_proj')), turn),
    value: heads('v_proj'),
  };
}

function normed({ weights, config }: Pick<Scope, 'weights' | 'config'>, name: string, x: Tensor): Tensor {
  const weight = weights(`${name}.weight`);
  return op.rmsNorm(x, config.normsAddOne ? op.add(weight, x.graph.scalar(1)) : weight, config.normEpsilon);
}

/** Qwen3's norm over the width of each head, before positions (arXiv 2505.09388, §2); [B, H, S, d] stays as it is in other models. */
function normalized(scope: Scope, name: string, heads: Tensor): Tensor {
  return scope.config.queryKeyNorm ? normed(scope, `${scope.prefix}.${name}`, heads) : heads;
}

function feedForward(scope: Scope, x: Tensor): Tensor {
  const { activation } = scope.config;
  const gate = dense(scope, 'mlp.gate_proj', x);
  const up = dense(scope, 'mlp.up_proj', x);
  const gated = activation === 'silu' ? op.swiglu(gate, up) : op.multiply(activate(activation, gate), up);
  return dense(scope, 'mlp.down_proj', gated);
}

function dense({ weights, config, adapt, prefix }: Scope, name: string, x: Tensor): Tensor {
  const { attentionBias, outputBias = attentionBias, feedForwardBias } = config;
  const ofAttention = name === 'self_attn.o_proj' ? outputBias : attentionBias;
  const hasBias = name.startsWith('mlp.') ? feedForwardBias : ofAttention;
  const module = `${prefix}.${name}`;
  const weight = weights(`${module}.weight`);
  const y = op.linear(x, weight, hasBias ? weights(`${module}.bias`) : undefined);
  const added = adapt(module, x, weight.shape[0] as number);
  return added ? op.add(y, added) : y;
}

function withPast(past: Tensor | undefined, present: Tensor): Tensor {
  return past ? op.concat([past, present], 2) : present;
}

/** Repeats each key/value head for every query head of its group: [B, Hkv, T, d] → [B, H, T, d]. */
function repeated(x: Tensor, { heads, keyValueHeads, headSize }: LlamaConfig): Tensor {
  if (heads === keyValueHeads) return x;
  const [batch, , length] = x.shape;
  const single = op.reshape(x, [batch!, keyValueHeads, 1, length!, headSize]);
  const group = op.expand(single, [batch!, keyValueHeads, heads / keyValueHeads, length!, headSize]);
  return op.reshape(group, [batch!, heads, length!, headSize]);
}
