/**
 * LLaVA-NeXT (LLaVA-1.6, Liu et al. 2024; arXiv 2310.03744 for the connector) on Vicuna or Mistral (arXiv 2310.06825), as
 * transformers 4.57 reads it. CLIP encodes the picture and tiles of it. The tiles' rows are joined, padding is dropped,
 * and a separator ends each line. Features are stored as rows and columns of the tiles' part, then the connector's input:
 * the whole picture's patches, then the tiles' line by line.
 */
import { EmacError } from '@emac/core';
import { Graph, op } from '@emac/graph';
import { checkChannels } from './vision-keys.ts';

import { linear, llamaTensors } from '../files/expected-tensors.ts';
import { fieldsOf, type Fields, type JsonObject } from '../files/json-object.ts';
import { activation, checkHeads, type ModelConfig } from '../files/model-config.ts';
import { textConfig } from '../files/text-config.ts';
import { clipSide, clipTensors, clipVision, type ClipVisionConfig } from '../networks/clip-vision.ts';
import { chatForm } from './prompts/chat-template.ts';
import type { Connector, Eye, Family, FamilyFiles } from './family.ts';
import { bestResolution, loadLlavaProcessor, type FrameSize } from './pictures/llava-processor.ts';
import { gridOf, withGrid } from './pictures/picture-grid.ts';

/** ends each line of visual tokens, [D] */
const separator = 'image_newline';

/** prefix of the vision encoder's tensors */
const clipPrefix = 'vision_tower.vision_model';

export interface LlavaNextConfig extends ModelConfig {
  readonly vision: ClipVisionConfig;
  /** token that stands for a picture */
  readonly imageToken: number;
  /** in pixels, multiples of the vision encoder's side */
  readonly resolutions: readonly FrameSize[];
}

export const llavaNext: Family<LlavaNextConfig> = {
  name: 'llava_next',
  title: 'a LLaVA-NeXT',
  config: (object, place) => {
    const top = fieldsOf(object, place);
    const section = (key: string) => fieldsOf(top.object(key) ?? {}, `${place}: ${key}`);
    checkSupported(top);
    const vision = visionConfig(section('vision_config'), top);
    return {
      llama: {
        ...textConfig(top.object('text_config') ?? {}, `${place}: text_config`),
        visualTokens: 'within',
      },
      vision,
      imageToken: top.tokenId('image_token_index') ?? top.tokenId('image_token_id') ?? 32000,
      resolutions: resolutionsOf(object, { top, side: vision.imageSize }),
    };
  },
  nameOf: (stored) => {
    const name = stored
      .replace(/^model\.(?!layers|embed_tokens|norm)/, '')
      .replace(/^lm_head\./, 'language_model.lm_head.');
    return name
      .replace(/^language_model\.(?!model\.|lm_head\.)/, 'language_model.model.')
      .replace(/^multi_modal_projector\.linear_1\./, 'language_projection.0.')
      .replace(/^multi_modal_projector\.linear_2\./, 'language_projection.2.');
  },
  moduleOf: (here) =>
    here
      .replace(/^language_model\.model\./, 'model.language_model.')
      .replace('language_model.lm_head', 'lm_head'),
  tensors: ({ vision, llama }) =>
    new Map<string, readonly (number | null)[]>([
      ...clipTensors(vision, clipPrefix),
      ...linear('language_projection.0', [llama.hiddenSize, vision.hiddenSize]),
      ...linear('language_projection.2', [llama.hiddenSize, llama.hiddenSize]),
      [separator, [llama.hiddenSize]],
      ...llamaTensors(llama),
    ]),
  vision: { limitsPixels: false, connector, eye },
  prompts: ({ companions, config }, tokenizer) =>
    chatForm({ tokenizerFile: companions.tokenizer, tokenizer, imageToken: config.imageToken, axes: 1 }),
};

function checkSupported(top: Fields): void {
  const only = (key: string, value: string) => {
    if (top.text(key, value) !== value) top.fail(key, `must be "${value}"`);
  };
  only('vision_feature_select_strategy', 'default');
  only('projector_hidden_act', 'gelu');
  if (!top.boolean('multimodal_projector_bias', true)) top.fail('multimodal_projector_bias', 'must be true');
}

function visionConfig(fields: Fields, top: Fields): ClipVisionConfig {
  if (fields.text('model_type', 'clip_vision_model') !== 'clip_vision_model')
    fields.fail('model_type', 'must be "clip_vision_model"');
  checkChannels(fields, 'num_channels');
  const all = fields.layers('num_hidden_layers', 24);
  const wanted = top.number('vision_feature_layer', -2);
  const layers = wanted < 0 ? all + 1 + wanted : wanted;
  if (!Number.isInteger(layers) || layers < 1 || layers > all)
    top.fail('vision_feature_layer', `must be one of the ${all} layers`);
  const config: ClipVisionConfig = {
    hiddenSize: fields.positiveInteger('hidden_size', 1024),
    intermediateSize: fields.positiveInteger('intermediate_size', 4096),
    layers,
    heads: fields.positiveInteger('num_attention_heads', 16),
    imageSize: fields.positiveInteger('image_size', 336),
    patchSize: fields.positiveInteger('patch_size', 14),
    activation: activation(fields, 'quick_gelu'),
    normEpsilon: fields.number('layer_norm_eps', 1e-5),
  };
  checkHeads(fields, config);
  return config;
}

const usualResolutions = [
  [336, 672],
  [672, 336],
  [672, 672],
  [1008, 336],
  [336, 1008],
];

function resolutionsOf(object: JsonObject, { top, side }: { top: Fields; side: number }): FrameSize[] {
  const given = object['image_grid_pinpoints'] ?? usualResolutions;
  const isSide = (value: unknown) =>
    Number.isInteger(value) && (value as number) > 0 && (value as number) % side === 0;
  const isSize = (each: unknown) => Array.isArray(each) && each.length === 2 && each.every(isSide);
  if (!Array.isArray(given) || given.length === 0 || !given.every(isSize))
    top.fail('image_grid_pinpoints', `must be a list of heights and widths, multiples of image_size ${side}`);
  return (given as [number, number][]).map(([height, width]) => ({ width, height }));
}

function connector({ config: { vision } }: FamilyFiles<LlavaNextConfig>): Connector {
  const { hiddenSize: inputWidth } = vision;
  const whole = clipSide(vision) ** 2;
  return {
    inputWidth,
    featureValues: null,
    fixed: separator,
    sight: (features) => {
      const { rows, columns, rest } = gridOf(features);
      if (rest.length !== (whole + rows * columns) * inputWidth)
        throw new EmacError(
          'data',
          `student: features must be ${whole} + ${rows} × ${columns} rows of ${inputWidth} numbers, got ${rest.length}; were they made by another model?`,
        );
      return { rows: rest, order: lines({ whole, rows, columns }) };
    },
  };
}

/** The whole picture's patches, then each line's and a separator. */
function lines({ whole, rows, columns }: { whole: number; rows: number; columns: number }): Int32Array {
  const order = Int32Array.from({ length: whole + rows * (columns + 1) }, (_, token) => token);
  for (let token = whole; token < order.length; token++) {
    const [row, column] = [Math.floor((token - whole) / (columns + 1)), (token - whole) % (columns + 1)];
    order[token] = column === columns ? -1 : whole + row * columns + column;
  }
  return order;
}

function eye({ config, companions, weights }: FamilyFiles<LlavaNextConfig>): Eye {
  const { vision, resolutions } = config;
  const { imageSize, hiddenSize } = vision;
  const process = loadLlavaProcessor(companions.imageProcessor, { side: imageSize, resolutions });
  const perTile = clipSide(vision);
  const inPatches = (pixels: number) => (pixels / imageSize) * perTile;
  const gridFor = (frame: FrameSize): Grid => {
    const best = bestResolution(frame, resolutions);
    return { rows: inPatches(best.height), columns: inPatches(best.width) };
  };
  return {
    mostTokens: Math.max(
      ...resolutions.map(({ width, height }) => perTile ** 2 + inPatches(height) * (inPatches(width) + 1)),
    ),
    tokens: (frame) => {
      const shown = shownPart(frame, gridFor(frame));
      return perTile ** 2 + shown.rows * (shown.columns + 1);
    },
    graph: () => {
      const graph = new Graph();
      const pixels = graph.input('pixel_values', 'float32', ['B', 3, imageSize, imageSize]);
      const all = clipVision(weights(graph), vision, { prefix: clipPrefix, pixelValues: pixels });
      // without the class token
      graph.output('features', op.slice(all, 1, { start: 1 }));
      return graph;
    },
    feeds: (frame) => {
      const data = process(frame);
      const tiles = data.length / (3 * imageSize ** 2);
      return { pixel_values: { type: 'float32', shape: [tiles, 3, imageSize, imageSize], data } };
    },
    features: (outputs, frame) => {
      const data = outputs['features']!.data as Float32Array;
      const grid = gridFor(frame);
      return putTogether(data, { grid, perTile, width: hiddenSize, shown: shownPart(frame, grid) });
    },
  };
}

interface Grid {
  readonly rows: number;
  readonly columns: number;
}

/** A part of a grid, and the row and column where it begins. */
interface Part extends Grid {
  readonly top: number;
  readonly left: number;
}

/** The part of the tiles' patches that shows the picture and not its padding, counted as published. */
export function shownPart({ width, height }: FrameSize, { rows, columns }: Grid): Part {
  const kept = (side: number, scale: number) => Math.trunc(Number((side * scale).toFixed(7)));
  if (width / height > columns / rows) {
    const top = Math.floor((rows - kept(height, columns / width)) / 2);
    return { top, left: 0, rows: rows - 2 * top, columns };
  }
  const left = Math.floor((columns - kept(width, rows / height)) / 2);
  return { top: 0, left, rows, columns: columns - 2 * left };
}

interface Tiled {
  readonly grid: Grid;
  /** patches per side of a tile */
  readonly perTile: number;
  readonly width: number;
  readonly shown: Part;
}

/** Rows of [1 + tiles, patches, width] as they are stored. */
function putTogether(data: Float32Array, { grid, perTile, width, shown }: Tiled): Float32Array {
  const whole = perTile ** 2;
  const tilesAcross = grid.columns / perTile;
  const rows = new Float32Array((whole + shown.rows * shown.columns) * width);
  rows.set(data.subarray(0, whole * width));
  let next = whole * width;
  for (let row = shown.top; row < shown.top + shown.rows; row++)
    for (let column = shown.left; column < shown.left + shown.columns; column++) {
      const tile = 1 + Math.floor(row / perTile) * tilesAcross + Math.floor(column / perTile);
      const start = (tile * whole + (row % perTile) * perTile + (column % perTile)) * width;
      rows.set(data.subarray(start, start + width), next);
      next += width;
    }
  return withGrid(shown.rows, shown.columns, rows);
}
