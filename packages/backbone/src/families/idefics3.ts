/**
 * Idefics3 (Laurençon et al., arXiv 2408.12637) and SmolVLM (Marafioti et al., arXiv 2504.05299) as transformers 4.57 reads
 * them: SigLIP on tiles and on the whole picture, pixel shuffle, one linear layer, LLaMA. A picture's tokens include the
 * marks around its tiles. Features are stored as rows and columns of tiles, then the connector's input, tile by tile.
 * Departure: videos are not read.
 */
import { EmacError } from '@emac/core';
import { Graph, op, type Tensor } from '@emac/graph';
import { checkChannels } from './vision-keys.ts';

import { linear, llamaTensors } from '../files/expected-tensors.ts';
import { fieldsOf, type Fields } from '../files/json-object.ts';
import { activation, checkHeads, type ModelConfig } from '../files/model-config.ts';
import { textConfig } from '../files/text-config.ts';
import { clipSide, clipTensors, clipVision, type ClipVisionConfig } from '../networks/clip-vision.ts';
import { chatForm } from './prompts/chat-template.ts';
import type { Connector, Eye, Family, FamilyFiles } from './family.ts';
import { loadIdefics3Processor } from './pictures/idefics3-processor.ts';
import { fractionalPositions } from './pictures/fractional-positions.ts';
import { gridOf, withGrid } from './pictures/picture-grid.ts';
import { tileMarks } from './tile-marks.ts';

export interface Idefics3Config extends ModelConfig {
  readonly vision: ClipVisionConfig;
  /** token that stands for a visual token */
  readonly imageToken: number;
  /** patches per side of a visual token */
  readonly scaleFactor: number;
}

export const idefics3 = family('idefics3', 'an Idefics3');
export const smolVlm = family('smolvlm', 'a SmolVLM');

/** prefix of the vision encoder's tensors */
const eyePrefix = 'vision_model';

const embeddingTable = 'language_model.model.embed_tokens.weight';

function family(name: string, title: string): Family<Idefics3Config> {
  return {
    name,
    title,
    config: (object, place) => {
      const top = fieldsOf(object, place);
      const section = (key: string) => fieldsOf(top.object(key) ?? {}, `${place}: ${key}`);
      // a missing text_config stands for LLaMA with a larger ε
      const text = top.object('text_config') ?? { rms_norm_eps: 1e-5 };
      return {
        llama: { ...textConfig(text, `${place}: text_config`), visualTokens: 'within' },
        vision: visionConfig(section('vision_config')),
        imageToken: top.tokenId('image_token_id') ?? 128257,
        scaleFactor: top.positiveInteger('scale_factor', 2),
      };
    },
    nameOf: (stored) =>
      stored
        .replace(/^model\./, '')
        .replace(/^text_model\./, 'language_model.model.')
        .replace(/^lm_head\./, 'language_model.lm_head.')
        .replace(/^connector\.modality_projection\.proj\./, 'language_projection.'),
    moduleOf: (here) =>
      here
        .replace(/^language_model\.model\./, 'model.text_model.')
        .replace('language_model.lm_head', 'lm_head'),
    tensors: (config) =>
      new Map([
        ...clipTensors(config.vision, eyePrefix),
        ...linear('language_projection', [config.llama.hiddenSize, rowWidth(config)], false),
        ...llamaTensors(config.llama),
      ]),
    vision: { limitsPixels: false, connector, eye },
    prompts: ({ companions, config }, tokenizer) =>
      chatForm({ tokenizerFile: companions.tokenizer, tokenizer, imageToken: config.imageToken, axes: 1 }),
  };
}

function visionConfig(fields: Fields): ClipVisionConfig {
  const config: ClipVisionConfig = {
    hiddenSize: fields.positiveInteger('hidden_size', 1152),
    intermediateSize: fields.positiveInteger('intermediate_size', 3072),
    layers: fields.layers('num_hidden_layers', 12),
    heads: fields.positiveInteger('num_attention_heads', 16),
    imageSize: fields.positiveInteger('image_size', 224),
    patchSize: fields.positiveInteger('patch_size', 32),
    activation: activation(fields, 'gelu_pytorch_tanh'),
    normEpsilon: fields.number('layer_norm_eps', 1e-6),
    isSiglip: true,
    lastNorm: true,
  };
  checkChannels(fields, 'num_channels');
  checkHeads(fields, config);
  return config;
}

const rowWidth = ({ vision, scaleFactor }: Idefics3Config): number => scaleFactor ** 2 * vision.hiddenSize;

/** The sizes that depend on the tiles' side, in pixels. */
function tileSizes(
  { vision, scaleFactor }: Idefics3Config,
  { side, place }: { side: number; place: string },
) {
  const patches = Math.floor(side / vision.patchSize);
  if (patches % scaleFactor !== 0 || patches === 0)
    throw new EmacError(
      'config',
      `${place}: max_image_size must give patches per side that scale_factor ${scaleFactor} divides, got ${patches}`,
    );
  return { patches, tokens: (patches / scaleFactor) ** 2 };
}

function connector(files: FamilyFiles<Idefics3Config>): Connector {
  const inputWidth = rowWidth(files.config);
  const marks = tileMarks(files);
  return {
    inputWidth,
    featureValues: null,
    fixed: embeddingTable,
    sight: (features) => {
      const { rows, columns, rest } = gridOf(features);
      const tokens = rest.length / inputWidth / (rows * columns + 1);
      if (!Number.isInteger(tokens) || tokens === 0)
        throw new EmacError(
          'data',
          `student: features must be ${rows} × ${columns} tiles and a whole picture of rows of ${inputWidth} numbers, got ${rest.length}; were they made by another model?`,
        );
      return { rows: rest, order: marks({ rows, columns, tokens }) };
    },
  };
}

function eye(files: FamilyFiles<Idefics3Config>): Eye {
  const { config, companions, weights } = files;
  const { vision } = config;
  const process = loadIdefics3Processor(companions.imageProcessor);
  const { side } = process;
  const { patches, tokens } = tileSizes(config, { side, place: companions.imageProcessor });
  const marks = tileMarks(files);
  const countFor = (frame: { width: number; height: number }) =>
    marks({ ...process.grid(frame), tokens }).length;
  return {
    mostTokens: countFor({ width: side, height: side }),
    tokens: countFor,
    graph: () => {
      const graph = new Graph();
      const pixelValues = graph.input('pixel_values', 'float32', ['B', 3, side, side]);
      const positions = fractionalPositions(patches, clipSide(vision));
      const seen = clipVision(weights(graph), vision, { prefix: eyePrefix, pixelValues, positions });
      graph.output('features', shuffled(seen, { side: patches, factor: config.scaleFactor }));
      return graph;
    },
    feeds: (frame) => {
      const data = process(frame);
      return {
        pixel_values: { type: 'float32', shape: [data.length / (3 * side ** 2), 3, side, side], data },
      };
    },
    features: (outputs, frame) => {
      const { rows, columns } = process.grid(frame);
      return withGrid(rows, columns, outputs['features']!.data as Float32Array);
    },
  };
}

/** Pixel shuffle: the patches of each square of `factor` rows and columns become one row, [B, side², D] → [B, (side / factor)², factor² · D]. */
function shuffled(x: Tensor, { side, factor }: { side: number; factor: number }): Tensor {
  const [batch, , width] = x.shape as [string, number, number];
  const count = side / factor;
  const squares = op.reshape(x, [batch, count, factor, count, factor, width]);
  return op.reshape(op.transpose(squares, [0, 1, 3, 2, 4, 5]), [batch, count ** 2, factor ** 2 * width]);
}
