/**
 * Names and shapes of an InstructBLIP model's tensors, as Hugging Face's `save_pretrained` writes them. A null size is
 * read from the file: vocabularies grow when tokens are added.
 */
import type { InstructBlipConfig, LlamaConfig, QFormerConfig, VisionConfig } from './model-config.ts';
import { visionTokens } from '../networks/vision.ts';

export type ExpectedShape = readonly (number | null)[];
export type TensorEntry = readonly [name: string, shape: ExpectedShape];

/** Every tensor that the networks read, by name; without `text`, for a Q-Former without text. */
export function expectedTensors(
  config: InstructBlipConfig,
  { text }: { readonly text: boolean } = { text: true },
): ReadonlyMap<string, ExpectedShape> {
  const { qformer, llama } = config;
  return new Map<string, ExpectedShape>([
    ['query_tokens', [1, config.queryTokens, qformer.hiddenSize]],
    ...visionTensors(config.vision),
    ...qformerTensors(qformer, text),
    ...linear('language_projection', [llama.hiddenSize, qformer.hiddenSize]),
    ...llamaTensors(llama),
  ]);
}

function visionTensors(vision: VisionConfig): TensorEntry[] {
  const { hiddenSize: width, intermediateSize: inner, patchSize: size } = vision;
  const embeddings = 'vision_model.embeddings';
  return [
    [`${embeddings}.class_embedding`, [1, 1, width]],
    [`${embeddings}.position_embedding`, [1, visionTokens(vision), width]],
    [`${embeddings}.patch_embedding.weight`, [width, 3, size, size]],
    [`${embeddings}.patch_embedding.bias`, [width]],
    ...layers(vision.layers, (layer): TensorEntry[] => {
      const prefix = `vision_model.encoder.layers.${layer}`;
      return [
        ...norm(`${prefix}.layer_norm1`, width),
        ...linear(`${prefix}.self_attn.qkv`, [3 * width, width], vision.queryKeyValueBias),
        ...linear(`${prefix}.self_attn.projection`, [width, width]),
        ...norm(`${prefix}.layer_norm2`, width),
        ...linear(`${prefix}.mlp.fc1`, [inner, width]),
        ...linear(`${prefix}.mlp.fc2`, [width, inner]),
      ];
    }),
    ...norm('vision_model.post_layernorm', width),
  ];
}

function qformerTensors(qformer: QFormerConfig, text: boolean): TensorEntry[] {
  const { hiddenSize: width, intermediateSize: inner, encoderHiddenSize, crossAttentionFrequency } = qformer;
  const attention = (prefix: string, context: number): TensorEntry[] => [
    ...linear(`${prefix}.attention.query`, [width, width]),
    ...linear(`${prefix}.attention.key`, [width, context]),
    ...linear(`${prefix}.attention.value`, [width, context]),
    ...linear(`${prefix}.output.dense`, [width, width]),
    ...norm(`${prefix}.output.LayerNorm`, width),
  ];
  const feedForward = (prefix: string, kind: '' | '_query'): TensorEntry[] => [
    ...linear(`${prefix}.intermediate${kind}.dense`, [inner, width]),
    ...linear(`${prefix}.output${kind}.dense`, [width, inner]),
    ...norm(`${prefix}.output${kind}.LayerNorm`, width),
  ];
  return [
    ...(text ? textEmbeddings(qformer) : []),
    ...norm('qformer.embeddings.layernorm', width),
    ...layers(qformer.layers, (layer): TensorEntry[] => {
      const prefix = `qformer.encoder.layer.${layer}`;
      const looks = layer % crossAttentionFrequency === 0;
      return [
        ...attention(`${prefix}.attention`, width),
        ...(looks ? attention(`${prefix}.crossattention`, encoderHiddenSize) : []),
        ...(text ? feedForward(prefix, '') : []),
        ...feedForward(prefix, '_query'),
      ];
    }),
  ];
}

function textEmbeddings({ hiddenSize: width, maxPositions }: QFormerConfig): TensorEntry[] {
  return [
    ['qformer.embeddings.word_embeddings.weight', [null, width]],
    ['qformer.embeddings.position_embeddings.weight', [maxPositions, width]],
  ];
}

/** The language model's tensors. */
export function llamaTensors(llama: LlamaConfig): TensorEntry[] {
  const { hiddenSize: width, intermediateSize: inner, attentionBias, feedForwardBias } = llama;
  const outputBias = llama.outputBias ?? attentionBias;
  const queries = llama.heads * llama.headSize;
  const keys = llama.keyValueHeads * llama.headSize;
  return [
    ['language_model.model.embed_tokens.weight', [null, width]],
    ...layers(llama.layers, (layer): TensorEntry[] => {
      const prefix = `language_model.model.layers.${layer}`;
      return [
        [`${prefix}.input_layernorm.weight`, [width]],
        ...linear(`${prefix}.self_attn.q_proj`, [queries, width], attentionBias),
        ...linear(`${prefix}.self_attn.k_proj`, [keys, width], attentionBias),
        ...linear(`${prefix}.self_attn.v_proj`, [keys, width], attentionBias),
        ...linear(`${prefix}.self_attn.o_proj`, [width, queries], outputBias),
        ...(llama.queryKeyNorm ? headNorms(`${prefix}.self_attn`, llama) : []),
        [`${prefix}.post_attention_layernorm.weight`, [width]],
        ...(llama.normsBehind ? feedForwardNorms(prefix, width) : []),
        ...linear(`${prefix}.mlp.gate_proj`, [inner, width], feedForwardBias),
        ...linear(`${prefix}.mlp.up_proj`, [inner, width], feedForwardBias),
        ...linear(`${prefix}.mlp.down_proj`, [width, inner], feedForwardBias),
      ];
    }),
    ['language_model.model.norm.weight', [width]],
    ...(llama.tiedHead ? [] : [['language_model.lm_head.weight', [null, width]] as TensorEntry]),
  ];
}

function feedForwardNorms(prefix: string, width: number): TensorEntry[] {
  return [
    [`${prefix}.pre_feedforward_layernorm.weight`, [width]],
    [`${prefix}.post_feedforward_layernorm.weight`, [width]],
  ];
}

function headNorms(prefix: string, { headSize }: LlamaConfig): TensorEntry[] {
  return [
    [`${prefix}.q_norm.weight`, [headSize]],
    [`${prefix}.k_norm.weight`, [headSize]],
  ];
}

/** The tensors of every layer. */
export function layers(count: number, make: (layer: number) => TensorEntry[]): TensorEntry[] {
  return Array.from({ length: count }, (_, layer) => make(layer)).flat();
}

/** A weight [out, in] and an optional bias. */
export function linear(
  name: string,
  [outWidth, inWidth]: readonly [number, number],
  bias = true,
): TensorEntry[] {
  const weight: TensorEntry = [`${name}.weight`, [outWidth, inWidth]];
  return bias ? [weight, [`${name}.bias`, [outWidth]]] : [weight];
}

/** A weight and a bias. */
export function norm(name: string, width: number): TensorEntry[] {
  return [
    [`${name}.weight`, [width]],
    [`${name}.bias`, [width]],
  ];
}
