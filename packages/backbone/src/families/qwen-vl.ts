/**
 * Qwen2-VL (arXiv 2409.12191) and Qwen2.5-VL (arXiv 2502.13923) as transformers 4.57 reads them. The merger's norm belongs
 * to the vision encoder, its two layers are the connector. Features are stored as the rows and columns of visual tokens,
 * then the connector's input, row by row.
 */
import { EmacError } from '@emac/core';
import { Graph, type Value } from '@emac/graph';

import { layers, linear, llamaTensors, norm, type TensorEntry } from '../files/expected-tensors.ts';
import { fieldsOf, type Fields, type JsonObject } from '../files/json-object.ts';
import {
  activation,
  checkHeads,
  llamaConfig,
  type LlamaConfig,
  type ModelConfig,
} from '../files/model-config.ts';
import { qwenVision, type QwenVisionConfig } from '../networks/qwen-vision.ts';
import { chatForm } from './prompts/chat-template.ts';
import type { Connector, Eye, Family, FamilyFiles } from './family.ts';
import { anglesOf, patchPlaces, type Grid } from './pictures/patch-places.ts';
import { gridOf, withGrid } from './pictures/picture-grid.ts';
import { loadQwenProcessor } from './pictures/qwen-processor.ts';
import { checkChannels, checkRowsAndColumns } from './vision-keys.ts';

export interface QwenConfig extends ModelConfig {
  readonly vision: QwenVisionConfig;
  /** token that stands for a picture */
  readonly imageToken: number;
}

export const qwen2Vl = qwenFamily('qwen2_vl', {
  title: 'a Qwen2-VL',
  visionConfig: visionOfQwen2,
  widthKey: 'hidden_size',
});
export const qwen25Vl = qwenFamily('qwen2_5_vl', {
  title: 'a Qwen2.5-VL',
  visionConfig: visionOfQwen25,
  widthKey: 'out_hidden_size',
});

interface Version {
  readonly title: string;
  readonly visionConfig: (fields: Fields) => QwenVisionConfig;
  /** of the vision configuration: the language model's width */
  readonly widthKey: string;
}

function qwenFamily(name: string, version: Version): Family<QwenConfig> {
  return {
    name,
    title: version.title,
    config: (object, place) => {
      const top = fieldsOf(object, place);
      const section = (key: string, given: JsonObject) => fieldsOf(given, `${place}: ${key}`);
      const seen = section('vision_config', top.object('vision_config') ?? {});
      const vision = version.visionConfig(seen);
      // published files keep the language model's sizes at the top level
      const text = top.object('text_config') ?? object;
      const llama = languageModel(section('text_config', text), { text, top });
      if ((seen.given(version.widthKey) ?? llama.hiddenSize) !== llama.hiddenSize)
        seen.fail(version.widthKey, `must be the language model's ${llama.hiddenSize}`);
      return {
        llama,
        vision,
        imageToken: top.tokenId('image_token_id') ?? 151655,
      };
    },
    nameOf,
    moduleOf,
    tensors: ({ vision, llama }) =>
      new Map([...visionTensors(vision, llama.hiddenSize), ...llamaTensors(llama)]),
    vision: { limitsPixels: true, connector, eye },
    prompts: ({ companions, config }, tokenizer) =>
      chatForm({ tokenizerFile: companions.tokenizer, tokenizer, imageToken: config.imageToken, axes: 3 }),
  };
}

export function nameOf(stored: string): string | null {
  const name = stored.replace(/^model\.visual\./, 'visual.');
  if (name.startsWith('visual.')) return name.replace(/^visual\.merger\.mlp\./, 'language_projection.');
  if (name.startsWith('lm_head.')) return `language_model.${name}`;
  return name.replace(/^model\.(language_model\.)?/, 'language_model.model.');
}

/** Where transformers keeps the modules of a language model beside an encoder. */
export function moduleOf(here: string): string {
  return here
    .replace(/^language_model\.model\./, 'model.language_model.')
    .replace('language_model.lm_head', 'lm_head');
}

function languageModel(fields: Fields, { text, top }: { text: JsonObject; top: Fields }): LlamaConfig {
  const scaling = fieldsOf(
    fields.object('rope_scaling') ?? fields.object('rope_parameters') ?? {},
    'rope_scaling',
  );
  for (const key of ['rope_type', 'type']) {
    const type = scaling.text(key, 'default');
    if (type !== 'mrope' && type !== 'default')
      scaling.fail(key, 'must be "mrope" or "default" (other scaled positions are not supported)');
  }
  if (fields.boolean('use_sliding_window', false))
    fields.fail('use_sliding_window', 'must be false (windows are not supported)');
  if (fields.texts('layer_types', []).some((each) => each !== 'full_attention'))
    fields.fail('layer_types', 'must name full_attention alone (windows are not supported)');
  const { rope_scaling: _, rope_parameters: parameters, ...plain } = text;
  const config = llamaConfig(
    fieldsOf(
      {
        num_key_value_heads: 8,
        rms_norm_eps: 1e-5,
        rope_theta: (parameters as JsonObject | undefined)?.['rope_theta'] ?? 1e6,
        max_position_embeddings: 32768,
        tie_word_embeddings: top.boolean('tie_word_embeddings', false),
        ...plain,
      },
      'text_config',
    ),
  );
  const rotarySections = scaling.integers('mrope_section', null);
  if (rotarySections.length !== 3 || rotarySections.reduce((a, b) => a + b) !== config.headSize / 2)
    scaling.fail('mrope_section', `must be three numbers that sum to ${config.headSize / 2}`);
  return {
    ...config,
    attentionBias: true,
    outputBias: false,
    feedForwardBias: false,
    rotarySections,
    visualTokens: 'within',
  };
}

function common(fields: Fields) {
  checkChannels(fields, 'in_channels');
  checkRowsAndColumns(fields);
  return {
    layers: fields.layers('depth', 32),
    heads: fields.positiveInteger('num_heads', 16),
    patchSize: fields.positiveInteger('patch_size', 14),
    temporalPatchSize: fields.positiveInteger('temporal_patch_size', 2),
    mergeSize: fields.positiveInteger('spatial_merge_size', 2),
  };
}

function visionOfQwen2(fields: Fields): QwenVisionConfig {
  const hiddenSize = fields.positiveInteger('embed_dim', 1280);
  return checked(fields, {
    ...common(fields),
    hiddenSize,
    intermediateSize: Math.floor(hiddenSize * fields.number('mlp_ratio', 4)),
    activation: activation(fields, 'quick_gelu'),
    gated: false,
    windows: null,
  });
}

function visionOfQwen25(fields: Fields): QwenVisionConfig {
  const sizes = common(fields);
  const side = Math.floor(
    Math.floor(fields.positiveInteger('window_size', 112) / sizes.mergeSize) / sizes.patchSize,
  );
  if (side < 1)
    fields.fail('window_size', `must hold a visual token, ${sizes.mergeSize * sizes.patchSize} pixels`);
  return checked(fields, {
    ...sizes,
    hiddenSize: fields.positiveInteger('hidden_size', 3584),
    intermediateSize: fields.positiveInteger('intermediate_size', 3420),
    activation: activation(fields, 'silu'),
    gated: true,
    windows: { side, fullLayers: fields.integers('fullatt_block_indexes', [7, 15, 23, 31]) },
  });
}

function checked(fields: Fields, config: QwenVisionConfig): QwenVisionConfig {
  checkHeads(fields, config);
  if ((config.hiddenSize / config.heads) % 4 !== 0)
    fields.fail('num_heads', 'must leave heads of a width that four divides, for rows and columns');
  return config;
}

function visionTensors(vision: QwenVisionConfig, width: number): TensorEntry[] {
  const { hiddenSize, intermediateSize: inner, gated, mergeSize } = vision;
  const merged = mergeSize ** 2 * hiddenSize;
  const ofNorm = (name: string): TensorEntry[] =>
    gated ? [[`${name}.weight`, [hiddenSize]]] : norm(name, hiddenSize);
  return [
    [
      'visual.patch_embed.proj.weight',
      [hiddenSize, 3, vision.temporalPatchSize, vision.patchSize, vision.patchSize],
    ],
    ...layers(vision.layers, (layer) => {
      const prefix = `visual.blocks.${layer}`;
      const feedForward = gated
        ? [
            ...linear(`${prefix}.mlp.gate_proj`, [inner, hiddenSize]),
            ...linear(`${prefix}.mlp.up_proj`, [inner, hiddenSize]),
            ...linear(`${prefix}.mlp.down_proj`, [hiddenSize, inner]),
          ]
        : [
            ...linear(`${prefix}.mlp.fc1`, [inner, hiddenSize]),
            ...linear(`${prefix}.mlp.fc2`, [hiddenSize, inner]),
          ];
      return [
        ...ofNorm(`${prefix}.norm1`),
        ...linear(`${prefix}.attn.qkv`, [3 * hiddenSize, hiddenSize]),
        ...linear(`${prefix}.attn.proj`, [hiddenSize, hiddenSize]),
        ...ofNorm(`${prefix}.norm2`),
        ...feedForward,
      ];
    }),
    ...ofNorm('visual.merger.ln_q'),
    ...linear('language_projection.0', [merged, merged]),
    ...linear('language_projection.2', [width, merged]),
  ];
}

function connector({ config: { vision } }: FamilyFiles<QwenConfig>): Connector {
  const inputWidth = vision.mergeSize ** 2 * vision.hiddenSize;
  return {
    inputWidth,
    featureValues: null,
    sight: (features) => {
      const { rows, columns, rest } = gridOf(features);
      if (rest.length !== rows * columns * inputWidth)
        throw new EmacError(
          'data',
          `student: features must be ${rows} × ${columns} rows of ${inputWidth} numbers, got ${rest.length}; were they made by another model?`,
        );
      return { rows: rest, columns };
    },
  };
}

function eye({ config, companions, weights, maxPixels }: FamilyFiles<QwenConfig>): Eye {
  const { vision } = config;
  const process = loadQwenProcessor(companions.imageProcessor, vision, maxPixels ?? null);
  const half = vision.hiddenSize / vision.heads / 2;
  return {
    mostTokens: process.mostTokens,
    tokens: (frame) => {
      const { rows, columns } = process.size(frame);
      return (rows * columns) / vision.mergeSize ** 2;
    },
    graph: () => {
      const graph = new Graph();
      const count = `${vision.mergeSize ** 2}*R`;
      const width = 3 * vision.temporalPatchSize * vision.patchSize ** 2;
      const features = qwenVision(weights(graph), vision, {
        patches: graph.input('patches', 'float32', [count, width]),
        angles: graph.input('angles', 'float32', [count, half]),
        ...(vision.windows && { windows: graph.input('windows', 'int64', [count]) }),
      });
      graph.output('features', features);
      return graph;
    },
    feeds: (frame) => {
      const picture = process(frame);
      const count = picture.rows * picture.columns;
      return {
        patches: { type: 'float32', shape: [count, picture.patches.length / count], data: picture.patches },
        angles: {
          type: 'float32',
          shape: [count, half],
          data: anglesOf(picture, { half, merge: vision.mergeSize }),
        },
        ...(vision.windows && { windows: windowsOf(picture, vision.mergeSize, vision.windows.side) }),
      };
    },
    features: (outputs, frame) => {
      const { rows, columns } = process.size(frame);
      const { data } = outputs['features']!;
      return withGrid(rows / vision.mergeSize, columns / vision.mergeSize, data as Float32Array);
    },
  };
}

function windowsOf(grid: Grid, merge: number, side: number): Value {
  const across = Math.ceil(grid.columns / merge / side);
  const numbers = [...patchPlaces(grid, merge)].map(([row, column]) => {
    const [down, right] = [row, column].map((place) => Math.floor(Math.floor(place / merge) / side));
    return BigInt(down! * across + right!);
  });
  return { type: 'int64', shape: [numbers.length], data: BigInt64Array.from(numbers) };
}
