/**
 * Sizes of the vision encoders that Prismatic models take from the library timm (0.9.10), under timm's names and keys, and
 * their tensors. `timm_model_args`, our own key, states differences from the named model or describes another one.
 */
import { layers, linear, norm, type TensorEntry } from '../files/expected-tensors.ts';
import { fieldsOf, type Fields, type JsonObject } from '../files/json-object.ts';
import { checkHeads } from '../files/model-config.ts';
import type { Activation } from '../networks/activation.ts';
import { timmPatches, timmPrefix, type TimmVisionConfig } from '../networks/timm-vision.ts';

const large = { embed_dim: 1024, depth: 24, num_heads: 16 };
const clip = { ...large, patch_size: 14, pre_norm: true };
const siglip = {
  embed_dim: 1152,
  depth: 27,
  num_heads: 16,
  patch_size: 14,
  mlp_ratio: 3.7362,
  class_token: false,
};

/** by architecture: the part of the name before the dot */
const known: Readonly<Record<string, JsonObject>> = {
  vit_large_patch14_reg4_dinov2: {
    ...large,
    patch_size: 14,
    init_values: 1e-5,
    reg_tokens: 4,
    no_embed_class: true,
  },
  vit_so400m_patch14_siglip_224: siglip,
  vit_so400m_patch14_siglip_384: siglip,
  vit_large_patch14_clip_224: clip,
  vit_large_patch14_clip_336: clip,
  vit_large_patch16_224: { ...large, patch_size: 16 },
};

/** timm's names of activations */
const activations: Readonly<Record<string, Activation>> = {
  gelu: 'gelu',
  gelu_tanh: 'gelu_new',
  quick_gelu: 'quick_gelu',
  silu: 'silu',
};

/** One vision encoder as `config.json` describes it. */
export interface NamedEye {
  /** `timm_model_ids` */
  readonly id: unknown;
  /** `image_sizes`, a side in pixels */
  readonly imageSize: unknown;
  /** `timm_override_act_layers`; null for the model's own */
  readonly activation: unknown;
  /** `timm_model_args` */
  readonly given: unknown;
}

/** Sizes of a vision encoder; `top` are the fields of `config.json`. Errors: `config` naming the key. */
export function timmEye({ id, imageSize, activation, given }: NamedEye, top: Fields): TimmVisionConfig {
  const named = typeof id === 'string' ? known[id.split('.')[0]!] : undefined;
  if (!named && !isObject(given))
    top.fail('timm_model_ids', `must be of ${Object.keys(known).join(', ')} (others need timm_model_args)`);
  if (!Number.isInteger(imageSize))
    top.fail('image_sizes', 'must be a list of sides in pixels, one for each vision encoder');
  const kind = activations[(activation ?? 'gelu') as string];
  if (!kind)
    top.fail('timm_override_act_layers', `must be null or of ${Object.keys(activations).join(', ')}`);
  const fields = fieldsOf({ ...named, ...(isObject(given) ? given : {}) }, `config.json: ${String(id)}`);
  return sizesOf(fields, { imageSize: imageSize as number, activation: kind! });
}

function sizesOf(
  fields: Fields,
  { imageSize, activation }: Pick<TimmVisionConfig, 'imageSize' | 'activation'>,
): TimmVisionConfig {
  const hiddenSize = fields.positiveInteger('embed_dim', 768);
  const depth = fields.layers('depth', 12);
  const normFirst = fields.boolean('pre_norm', false);
  const config: TimmVisionConfig = {
    hiddenSize,
    intermediateSize: Math.trunc(hiddenSize * fields.number('mlp_ratio', 4)),
    layers: depth - 1,
    heads: fields.positiveInteger('num_heads', 12),
    imageSize,
    patchSize: fields.positiveInteger('patch_size', 16),
    activation,
    // encoders with a norm before the first layer use PyTorch's default
    normEpsilon: normFirst ? 1e-5 : 1e-6,
    classToken: fields.boolean('class_token', true),
    registers: fields.number('reg_tokens', 0),
    positions: fields.boolean('no_embed_class', false) ? 'patches' : 'all',
    layerScale: fields.number('init_values', 0) !== 0,
    normFirst,
  };
  checkHeads(fields, config);
  if (depth < 2) fields.fail('depth', 'must be 2 or more (the last layer but one is read)');
  if (imageSize < config.patchSize) fields.fail('patch_size', `must fit image_sizes ${imageSize}`);
  if (!Number.isInteger(config.registers) || config.registers < 0)
    fields.fail('reg_tokens', 'must be an integer from 0');
  return config;
}

/** The tensors read of a vision encoder, under `prefix`. */
export function timmTensors(prefix: string, config: TimmVisionConfig): TensorEntry[] {
  const { hiddenSize: width, intermediateSize: inner, patchSize: size, registers } = config;
  const before = config.positions === 'all' ? timmPrefix(config) : 0;
  return [
    [`${prefix}.patch_embed.proj.weight`, [width, 3, size, size]],
    ...(config.normFirst ? norm(`${prefix}.norm_pre`, width) : []),
    ...(config.normFirst ? [] : [[`${prefix}.patch_embed.proj.bias`, [width]] as TensorEntry]),
    ...(config.classToken ? [[`${prefix}.cls_token`, [1, 1, width]] as TensorEntry] : []),
    ...(registers > 0 ? [[`${prefix}.reg_token`, [1, registers, width]] as TensorEntry] : []),
    [`${prefix}.pos_embed`, [1, before + timmPatches(config), width]],
    ...layers(config.layers, (layer) => {
      const block = `${prefix}.blocks.${layer}`;
      const scale = (name: string): TensorEntry[] =>
        config.layerScale ? [[`${block}.${name}.scale_factor`, [width]]] : [];
      return [
        ...norm(`${block}.norm1`, width),
        ...linear(`${block}.attn.qkv`, [3 * width, width]),
        ...linear(`${block}.attn.proj`, [width, width]),
        ...scale('ls1'),
        ...norm(`${block}.norm2`, width),
        ...linear(`${block}.mlp.fc1`, [inner, width]),
        ...linear(`${block}.mlp.fc2`, [width, inner]),
        ...scale('ls2'),
      ];
    }),
  ];
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
