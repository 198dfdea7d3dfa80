/**
 * LAVIS's names of InstructBLIP's tensors (lavis/models/blip2_models) beside Hugging Face's. LAVIS stores the vision
 * model's query and value biases as two tensors; they become `qkv.bias` = [query, 0, value], since keys have no bias.
 */
import { EmacError } from '@emac/core';
import { withReader } from '@emac/files';

import { isHeld, type HeldTensor, type StoredTensor, type TensorTable } from './tensor-table.ts';

const layer = 'vision_model.encoder.layers';

const visionRules: readonly (readonly [RegExp, string])[] = [
  [/^cls_token$/, 'vision_model.embeddings.class_embedding'],
  [/^pos_embed$/, 'vision_model.embeddings.position_embedding'],
  [/^patch_embed\.proj\.(weight|bias)$/, 'vision_model.embeddings.patch_embedding.$1'],
  [/^blocks\.(\d+)\.norm([12])\.(weight|bias)$/, `${layer}.$1.layer_norm$2.$3`],
  [/^blocks\.(\d+)\.attn\.qkv\.weight$/, `${layer}.$1.self_attn.qkv.weight`],
  [/^blocks\.(\d+)\.attn\.([qv]_bias)$/, `${layer}.$1.self_attn.$2`],
  [/^blocks\.(\d+)\.attn\.proj\.(weight|bias)$/, `${layer}.$1.self_attn.projection.$2`],
  [/^blocks\.(\d+)\.mlp\.(fc[12])\.(weight|bias)$/, `${layer}.$1.mlp.$2.$3`],
];

const rules: readonly (readonly [RegExp, string])[] = [
  [/^query_tokens$/, 'query_tokens'],
  [/^ln_vision\.(weight|bias)$/, 'vision_model.post_layernorm.$1'],
  [/^llm_proj\.(weight|bias)$/, 'language_projection.$1'],
  [/^llm_model\.(.+)$/, 'language_model.$1'],
  [/^Qformer\.bert\.embeddings\.LayerNorm\.(weight|bias)$/, 'qformer.embeddings.layernorm.$1'],
  [/^Qformer\.bert\.((?:.+\.)?(?:cross)?attention)\.self\.(.+)$/, 'qformer.$1.attention.$2'],
  [/^Qformer\.bert\.(.+)$/, 'qformer.$1'],
];

const buffers = /(?:\.position_ids|\.inv_freq)$/;

/** Hugging Face's name for a tensor of LAVIS's whole model; null if it is not read. */
export function fromLavis(name: string): string | null {
  if (buffers.test(name)) return null;
  if (name.startsWith('visual_encoder.')) return fromEva(name.slice('visual_encoder.'.length));
  return applied(rules, name);
}

/** The same for the vision model's own file (EVA-CLIP), where names have no prefix. */
export function fromEva(name: string): string | null {
  return applied(visionRules, name);
}

function applied(list: typeof rules, name: string): string | null {
  const rule = list.find(([pattern]) => pattern.test(name));
  return rule ? name.replace(rule[0], rule[1]) : null;
}

/** The table with every pair `q_bias`, `v_bias` joined to `qkv.bias`, of the same type. Errors: `data`. */
export function joinBiases(table: TensorTable): TensorTable {
  const joined = new Map<string, StoredTensor>();
  for (const [name, tensor] of table) {
    const [, prefix, part] = /^(.*\.self_attn)\.([qv])_bias$/.exec(name) ?? [];
    if (!prefix) joined.set(name, tensor);
    else if (part === 'q') joined.set(`${prefix}.qkv.bias`, joinedBias(prefix, table));
    else if (!table.has(`${prefix}.q_bias`)) throw fault(tensor, 'has no q_bias beside it');
  }
  return joined;
}

function joinedBias(prefix: string, table: TensorTable): HeldTensor {
  const query = table.get(`${prefix}.q_bias`)!;
  const value = table.get(`${prefix}.v_bias`);
  if (!value) throw fault(query, 'has no v_bias beside it');
  const [width] = query.shape;
  const fits =
    query.dtype === value.dtype && query.shape.length === 1 && `${query.shape}` === `${value.shape}`;
  if (!fits || width! > 1 << 20)
    throw fault(
      query,
      `must match v_bias, ${value.dtype} [${value.shape}], got ${query.dtype} [${query.shape}]`,
    );
  const parts = [query, value].map(bytesOf) as [Uint8Array, Uint8Array];
  const bytes = new Uint8Array(3 * parts[0].length);
  bytes.set(parts[0]);
  bytes.set(parts[1], 2 * parts[0].length);
  const { dtype, path } = query;
  return { name: `${prefix}.qkv.bias`, dtype, shape: [3 * width!], path, bytes };
}

function bytesOf(tensor: StoredTensor): Uint8Array {
  return isHeld(tensor) ? tensor.bytes : withReader(tensor.path, ({ read }) => read(tensor));
}

function fault({ path, name }: StoredTensor, rule: string): EmacError {
  return new EmacError('data', `${path}, tensor ${name}: ${rule}`);
}
