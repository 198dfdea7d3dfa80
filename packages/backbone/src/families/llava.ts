/**
 * LLaVA (Liu et al., arXiv 2304.08485 and 2310.03744) as transformers 4.57 reads it: CLIP or SigLIP on the whole picture, two
 * layers, a language model (LLaMA, Mistral, Qwen2, Qwen3). Features are the connector's input, patch by patch.
 * Departures: features of several layers at once, and pictures padded to a square, are rejected.
 */
import { EmacError } from '@emac/core';
import { Graph, op } from '@emac/graph';
import { checkChannels } from './vision-keys.ts';

import { linear, llamaTensors } from '../files/expected-tensors.ts';
import { fieldsOf, type Fields } from '../files/json-object.ts';
import { activation, checkHeads, type ModelConfig } from '../files/model-config.ts';
import { textConfig } from '../files/text-config.ts';
import { clipSide, clipTensors, clipVision, type ClipVisionConfig } from '../networks/clip-vision.ts';
import { chatForm } from './prompts/chat-template.ts';
import { loadClipProcessor } from './pictures/clip-processor.ts';
import type { Connector, Eye, Family, FamilyFiles } from './family.ts';
import { llavaNext } from './llava-next.ts';

export interface LlavaConfig extends ModelConfig {
  readonly vision: ClipVisionConfig;
  /** token that stands for a picture */
  readonly imageToken: number;
  /** first token of the encoder that is read: 1 leaves CLIP's class token out */
  readonly firstToken: 0 | 1;
  readonly connectorBias: boolean;
}

/** prefix of the vision encoder's tensors */
const eyePrefix = 'vision_tower.vision_model';

export const llava: Family<LlavaConfig> = {
  name: 'llava',
  title: 'a LLaVA',
  config: (object, place) => {
    const top = fieldsOf(object, place);
    const strategy = top.text('vision_feature_select_strategy', 'default');
    if (strategy !== 'default' && strategy !== 'full')
      top.fail('vision_feature_select_strategy', 'must be "default" or "full"');
    if (top.text('projector_hidden_act', 'gelu') !== 'gelu')
      top.fail('projector_hidden_act', 'must be "gelu"');
    const given = top.object('vision_config') ?? usualEye;
    return {
      llama: {
        ...textConfig(top.object('text_config') ?? {}, `${place}: text_config`),
        visualTokens: 'within',
      },
      vision: visionConfig(fieldsOf(given, `${place}: vision_config`), top),
      imageToken: top.tokenId('image_token_index') ?? top.tokenId('image_token_id') ?? 32000,
      firstToken: strategy === 'default' ? 1 : 0,
      connectorBias: top.boolean('multimodal_projector_bias', true),
    };
  },
  nameOf: llavaNext.nameOf,
  moduleOf: llavaNext.moduleOf,
  tensors: ({ vision, llama, connectorBias }) =>
    new Map([
      ...clipTensors(vision, eyePrefix),
      ...linear('language_projection.0', [llama.hiddenSize, vision.hiddenSize], connectorBias),
      ...linear('language_projection.2', [llama.hiddenSize, llama.hiddenSize], connectorBias),
      ...llamaTensors(llama),
    ]),
  vision: { limitsPixels: false, connector, eye },
  prompts: ({ companions, config }, tokenizer) =>
    chatForm({ tokenizerFile: companions.tokenizer, tokenizer, imageToken: config.imageToken, axes: 1 }),
};

const usualEye = {
  hidden_size: 1024,
  intermediate_size: 4096,
  num_hidden_layers: 24,
  num_attention_heads: 16,
  image_size: 336,
  patch_size: 14,
};

const eyes = {
  clip_vision_model: { patch: 32, activation: 'quick_gelu', epsilon: 1e-5 },
  siglip_vision_model: { patch: 16, activation: 'gelu_pytorch_tanh', epsilon: 1e-6 },
} as const;

function visionConfig(fields: Fields, top: Fields): ClipVisionConfig {
  const type = fields.text('model_type', 'clip_vision_model');
  if (type !== 'clip_vision_model' && type !== 'siglip_vision_model')
    return fields.fail('model_type', `must be one of ${Object.keys(eyes).join(', ')}`);
  checkChannels(fields, 'num_channels');
  const usual = eyes[type];
  const all = fields.layers('num_hidden_layers', 12);
  // a list of layers is refused here
  const wanted = top.number('vision_feature_layer', -2);
  const layers = wanted < 0 ? all + 1 + wanted : wanted;
  if (!Number.isInteger(layers) || layers < 1 || layers > all)
    top.fail('vision_feature_layer', `must be one of the ${all} layers`);
  const isSiglip = type === 'siglip_vision_model';
  const config: ClipVisionConfig = {
    hiddenSize: fields.positiveInteger('hidden_size', 768),
    intermediateSize: fields.positiveInteger('intermediate_size', 3072),
    layers,
    heads: fields.positiveInteger('num_attention_heads', 12),
    imageSize: fields.positiveInteger('image_size', 224),
    patchSize: fields.positiveInteger('patch_size', usual.patch),
    activation: activation(fields, usual.activation),
    normEpsilon: fields.number('layer_norm_eps', usual.epsilon),
    ...(isSiglip && { isSiglip }),
    // transformers 4.57 gives SigLIP's last layer as it leaves the norm, CLIP's as it enters it
    ...(isSiglip && layers === all && { lastNorm: true as const }),
  };
  checkHeads(fields, config);
  return config;
}

function tokensOf({ vision, firstToken }: LlavaConfig): number {
  return clipSide(vision) ** 2 + (vision.isSiglip ? 0 : 1) - firstToken;
}

function connector({ config }: FamilyFiles<LlavaConfig>): Connector {
  const { hiddenSize: inputWidth } = config.vision;
  const featureValues = tokensOf(config) * inputWidth;
  return {
    inputWidth,
    featureValues,
    sight: (features) => {
      if (features.length === featureValues) return { rows: features };
      throw new EmacError(
        'data',
        `student: features must be ${tokensOf(config)} rows of ${inputWidth} numbers, got ${features.length}; were they made by another model?`,
      );
    },
  };
}

function eye({ config, companions, weights }: FamilyFiles<LlavaConfig>): Eye {
  const { vision, firstToken } = config;
  const { imageSize: side, isSiglip = false } = vision;
  const process = loadClipProcessor(companions.imageProcessor, { side, isSiglip });
  return {
    mostTokens: tokensOf(config),
    tokens: () => tokensOf(config),
    graph: () => {
      const graph = new Graph();
      const pixelValues = graph.input('pixel_values', 'float32', ['B', 3, side, side]);
      const all = clipVision(weights(graph), vision, { prefix: eyePrefix, pixelValues });
      graph.output('features', firstToken === 0 ? all : op.slice(all, 1, { start: firstToken }));
      return graph;
    },
    feeds: (frame) => ({
      pixel_values: { type: 'float32', shape: [1, 3, side, side], data: process(frame) },
    }),
    features: (outputs) => outputs['features']!.data as Float32Array,
  };
}
