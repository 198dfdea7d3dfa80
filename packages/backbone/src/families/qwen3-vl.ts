/**
 * Qwen3-VL (arXiv 2511.21631) as transformers 4.57 reads it. The merger's norm and the deep stack's mergers belong to the frozen vision
 * encoder, the two layers of the merger are the connector. Features are stored as the rows and columns of visual tokens, then the
 * connector's input row by row, then the deep stack's features row by row. Departure: videos are not read.
 */
import { EmacError } from '@emac/core';
import { Graph } from '@emac/graph';

import { linear, llamaTensors } from '../files/expected-tensors.ts';
import { fieldsOf, type Fields, type JsonObject } from '../files/json-object.ts';
import {
  activation,
  checkHeads,
  llamaConfig,
  type LlamaConfig,
  type ModelConfig,
} from '../files/model-config.ts';
import { deepWidth } from '../networks/deep-stack.ts';
import { qwen3Vision, qwen3VisionTensors, type Qwen3VisionConfig } from '../networks/qwen3-vision.ts';
import { chatForm } from './prompts/chat-template.ts';
import type { Connector, Eye, Family, FamilyFiles } from './family.ts';
import { anglesOf, tablePlaces } from './pictures/patch-places.ts';
import { gridOf, withGrid } from './pictures/picture-grid.ts';
import { loadQwenProcessor } from './pictures/qwen-processor.ts';
import { moduleOf, nameOf } from './qwen-vl.ts';
import { checkChannels, checkRowsAndColumns } from './vision-keys.ts';

export interface Qwen3VlConfig extends ModelConfig {
  readonly vision: Qwen3VisionConfig;
  /** token that stands for a picture */
  readonly imageToken: number;
}

export const qwen3Vl: Family<Qwen3VlConfig> = {
  name: 'qwen3_vl',
  title: 'a Qwen3-VL',
  config: (object, place) => {
    const top = fieldsOf(object, place);
    const text = languageModel(top.object('text_config') ?? {}, { place: `${place}: text_config`, top });
    const vision = visionConfig(fieldsOf(top.object('vision_config') ?? {}, `${place}: vision_config`), text);
    // features beyond the last layer are not read
    const deepLayers = Math.min(vision.deep.length, text.layers);
    return {
      llama: { ...text, ...(deepLayers > 0 && { deepLayers }) },
      vision: { ...vision, deep: vision.deep.slice(0, deepLayers) },
      imageToken: top.tokenId('image_token_id') ?? 151655,
    };
  },
  nameOf: (stored) =>
    nameOf(stored)
      ?.replace(/^visual\.merger\.linear_fc1\./, 'language_projection.0.')
      .replace(/^visual\.merger\.linear_fc2\./, 'language_projection.2.') ?? null,
  moduleOf,
  tensors: ({ vision, llama }) => {
    const token = vision.mergeSize ** 2 * vision.hiddenSize;
    return new Map([
      ...qwen3VisionTensors(vision),
      ...linear('language_projection.0', [token, token]),
      ...linear('language_projection.2', [llama.hiddenSize, token]),
      ...llamaTensors(llama),
    ]);
  },
  vision: { limitsPixels: true, connector, eye },
  prompts: ({ companions, config }, tokenizer) =>
    chatForm({ tokenizerFile: companions.tokenizer, tokenizer, imageToken: config.imageToken, axes: 3 }),
};

const usualText = {
  vocab_size: 151936,
  intermediate_size: 22016,
  num_key_value_heads: 32,
  head_dim: 128,
  max_position_embeddings: 128000,
  rope_theta: 5e6,
};

function languageModel(given: JsonObject, { place, top }: { place: string; top: Fields }): LlamaConfig {
  const { rope_scaling: scaled, rope_parameters: parameters, ...plain } = given;
  const scaling = fieldsOf((scaled ?? parameters ?? {}) as JsonObject, `${place}: rope_scaling`);
  for (const key of ['rope_type', 'type']) {
    const type = scaling.text(key, 'default');
    if (type !== 'default' && type !== 'mrope')
      scaling.fail(key, 'must be "default" (other scaled positions are not supported)');
  }
  if (!scaling.boolean('mrope_interleaved', true)) scaling.fail('mrope_interleaved', 'must be true');
  const tied = { tie_word_embeddings: top.boolean('tie_word_embeddings', false) };
  const theta = fieldsOf((parameters ?? {}) as JsonObject, place).number('rope_theta', usualText.rope_theta);
  const config = llamaConfig(fieldsOf({ ...usualText, rope_theta: theta, ...tied, ...plain }, place));
  const rotarySections = scaling.integers('mrope_section', [24, 20, 20]);
  if (rotarySections.length !== 3 || rotarySections.reduce((a, b) => a + b) !== config.headSize / 2)
    scaling.fail('mrope_section', `must be three numbers that sum to ${config.headSize / 2}`);
  return {
    ...config,
    feedForwardBias: false,
    queryKeyNorm: true,
    rotarySections,
    rotaryInterleaved: true,
    visualTokens: 'within',
  };
}

function visionConfig(fields: Fields, { hiddenSize: width }: LlamaConfig): Qwen3VisionConfig {
  const layers = fields.layers('depth', 27);
  const tableSide = Math.sqrt(fields.positiveInteger('num_position_embeddings', 2304));
  if (!Number.isInteger(tableSide)) fields.fail('num_position_embeddings', 'must be a square');
  checkChannels(fields, 'in_channels');
  checkRowsAndColumns(fields);
  const outputSize = fields.positiveInteger('out_hidden_size', width);
  if (outputSize !== width) fields.fail('out_hidden_size', `must be the language model's ${width}`);
  const deep = fields
    .integers('deepstack_visual_indexes', [8, 16, 24])
    .map((layer, merger) => ({ layer, merger }))
    .sort((one, other) => one.layer - other.layer);
  if (new Set(deep.map(({ layer }) => layer)).size < deep.length || deep.some(({ layer }) => layer >= layers))
    fields.fail('deepstack_visual_indexes', `must name different layers of the ${layers}`);
  const config: Qwen3VisionConfig = {
    layers,
    hiddenSize: fields.positiveInteger('hidden_size', 1152),
    intermediateSize: fields.positiveInteger('intermediate_size', 4304),
    heads: fields.positiveInteger('num_heads', 16),
    patchSize: fields.positiveInteger('patch_size', 16),
    temporalPatchSize: fields.positiveInteger('temporal_patch_size', 2),
    mergeSize: fields.positiveInteger('spatial_merge_size', 2),
    activation: activation(fields, 'gelu_pytorch_tanh'),
    tableSide,
    deep,
    outputSize,
  };
  checkHeads(fields, config);
  if ((config.hiddenSize / config.heads) % 4 !== 0)
    fields.fail('num_heads', 'must leave heads of a width that four divides, for rows and columns');
  return config;
}

function connector({ config: { vision, llama } }: FamilyFiles<Qwen3VlConfig>): Connector {
  const inputWidth = vision.mergeSize ** 2 * vision.hiddenSize;
  const width = inputWidth + deepWidth(llama);
  return {
    inputWidth,
    featureValues: null,
    sight: (features) => {
      const { rows, columns, rest } = gridOf(features);
      const tokens = rows * columns;
      if (rest.length !== tokens * width)
        throw new EmacError(
          'data',
          `student: features must be ${rows} × ${columns} rows of ${width} numbers, got ${rest.length}; were they made by another model?`,
        );
      const end = tokens * inputWidth;
      return {
        rows: rest.subarray(0, end),
        columns,
        ...(width > inputWidth && { deep: rest.subarray(end) }),
      };
    },
  };
}

function eye({ config, companions, weights, maxPixels }: FamilyFiles<Qwen3VlConfig>): Eye {
  const { vision } = config;
  const { mergeSize: merge } = vision;
  const process = loadQwenProcessor(companions.imageProcessor, vision, maxPixels ?? null);
  const half = vision.hiddenSize / vision.heads / 2;
  return {
    mostTokens: process.mostTokens,
    tokens: (frame) => {
      const { rows, columns } = process.size(frame);
      return (rows * columns) / merge ** 2;
    },
    graph: () => {
      const graph = new Graph();
      const count = `${merge ** 2}*R`;
      const width = 3 * vision.temporalPatchSize * vision.patchSize ** 2;
      const { rows, deep } = qwen3Vision(weights(graph), vision, {
        patches: graph.input('patches', 'float32', [count, width]),
        angles: graph.input('angles', 'float32', [count, half]),
        corners: graph.input('corners', 'int64', [4, count]),
        shares: graph.input('shares', 'float32', [4, count]),
      });
      graph.output('features', rows);
      if (deep) graph.output('deep', deep);
      return graph;
    },
    feeds: (frame) => {
      const picture = process(frame);
      const count = picture.rows * picture.columns;
      const { corners, shares } = tablePlaces(picture, { merge, side: vision.tableSide });
      return {
        patches: { type: 'float32', shape: [count, picture.patches.length / count], data: picture.patches },
        angles: { type: 'float32', shape: [count, half], data: anglesOf(picture, { half, merge }) },
        corners: { type: 'int64', shape: [4, count], data: corners },
        shares: { type: 'float32', shape: [4, count], data: shares },
      };
    },
    features: (outputs, frame) => {
      const { rows, columns } = process.size(frame);
      const [seen, deep] = ['features', 'deep'].map(
        (name) => outputs[name]?.data as Float32Array | undefined,
      );
      const all = new Float32Array(seen!.length + (deep?.length ?? 0));
      all.set(seen!);
      if (deep) all.set(deep, seen!.length);
      return withGrid(rows / merge, columns / merge, all);
    },
  };
}
