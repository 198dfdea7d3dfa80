/**
 * OpenVLA (Kim et al., arXiv 2406.09246) as its published modelling code (Prismatic, for transformers 4.40) reads it: one or
 * two timm vision encoders side by side, a connector of two layers (three after two encoders), and LLaMA. Features are the
 * encoders' patches, concatenated along the width.
 */
import { EmacError } from '@emac/core';
import { Graph, op } from '@emac/graph';

import { linear, llamaTensors } from '../files/expected-tensors.ts';
import { fieldsOf, type Fields, type JsonObject } from '../files/json-object.ts';
import { llamaConfig, type ModelConfig } from '../files/model-config.ts';
import { timmPatches, timmVision, type TimmVisionConfig } from '../networks/timm-vision.ts';
import type { Connector, Eye, Family, FamilyFiles } from './family.ts';
import { loadPrismaticProcessor } from './pictures/prismatic-processor.ts';
import { robotForm } from './prompts/robot-prompt.ts';
import { timmEye, timmTensors } from './timm-eyes.ts';

export interface OpenVlaConfig extends ModelConfig {
  /** one encoder, or two that see the same patches */
  readonly eyes: readonly TimmVisionConfig[];
}

const prefixes = ['vision_backbone.featurizer', 'vision_backbone.fused_featurizer'] as const;

export const openVla: Family<OpenVlaConfig> = {
  name: 'openvla',
  title: 'an OpenVLA',
  config: (object, place) => {
    const top = fieldsOf(object, place);
    const text = top.object('text_config') ?? {};
    const fields = fieldsOf(text, `${place}: text_config`);
    if (fields.text('model_type', 'llama') !== 'llama' || !/^(llama2|vicuna)-/.test(languageModel(top)))
      top.fail('llm_backbone_id', 'must be a LLaMA (other language models are not supported)');
    return {
      llama: { ...llamaConfig(fields), visualTokens: 'within' },
      eyes: eyesOf(object, top),
      imageToken: null,
    };
  },
  nameOf: (stored) =>
    stored.replace(
      /^projector\.fc([123])\./,
      (_, layer) => `language_projection.${2 * (Number(layer) - 1)}.`,
    ),
  moduleOf: (here) => here,
  tensors: ({ eyes, llama }) =>
    new Map([
      ...eyes.flatMap((eye, number) => timmTensors(prefixes[number]!, eye)),
      ...connectorTensors(widthOf(eyes), { eyes: eyes.length, width: llama.hiddenSize }),
      ...llamaTensors(llama),
    ]),
  vision: { limitsPixels: false, connector, eye },
  prompts: ({ folder }, tokenizer) => robotForm(tokenizer, folder),
};

const languageModel = (top: Fields): string => top.text('llm_backbone_id', 'vicuna-v15-7b');
const widthOf = (eyes: readonly TimmVisionConfig[]) =>
  eyes.reduce((sum, { hiddenSize }) => sum + hiddenSize, 0);

function eyesOf(object: JsonObject, top: Fields): TimmVisionConfig[] {
  const list = (key: string): readonly unknown[] => {
    const value = object[key] ?? [];
    return Array.isArray(value)
      ? (value as unknown[])
      : top.fail(key, 'must be a list, one for each vision encoder');
  };
  const ids = list('timm_model_ids');
  const [sizes, activations, given] = ['image_sizes', 'timm_override_act_layers', 'timm_model_args'].map(
    list,
  );
  const count = top.boolean('use_fused_vision_backbone', ids.length === 2) ? 2 : 1;
  if (ids.length < count)
    top.fail(
      'timm_model_ids',
      `must name ${count === 1 ? 'one vision encoder' : 'two vision encoders'} of timm`,
    );
  const eyes = ids
    .slice(0, count)
    .map((id, number) =>
      timmEye(
        { id, imageSize: sizes![number], activation: activations![number], given: given![number] },
        top,
      ),
    );
  const [first] = eyes;
  if (eyes.some((each) => each.imageSize !== first!.imageSize || timmPatches(each) !== timmPatches(first!)))
    top.fail('image_sizes', 'must be the same for both vision encoders, with as many patches');
  return eyes;
}

function connectorTensors(
  inputWidth: number,
  { eyes, width }: { readonly eyes: number; readonly width: number },
) {
  const widths = eyes === 1 ? [inputWidth, width, width] : [inputWidth, 4 * inputWidth, width, width];
  return widths
    .slice(1)
    .flatMap((outWidth, layer) => linear(`language_projection.${2 * layer}`, [outWidth, widths[layer]!]));
}

function connector({ config: { eyes } }: FamilyFiles<OpenVlaConfig>): Connector {
  const inputWidth = widthOf(eyes);
  const patches = timmPatches(eyes[0]!);
  return {
    inputWidth,
    featureValues: patches * inputWidth,
    sight: (features) => {
      if (features.length === patches * inputWidth) return { rows: features };
      throw new EmacError(
        'data',
        `student: features must be ${patches} × ${inputWidth} numbers, got ${features.length}; were they made by another model?`,
      );
    },
  };
}

function eye({ config: { eyes }, companions, weights }: FamilyFiles<OpenVlaConfig>): Eye {
  const side = eyes[0]!.imageSize;
  const channels = 3 * eyes.length;
  const process = loadPrismaticProcessor(
    companions.imageProcessor,
    eyes.map(({ imageSize }) => imageSize),
  );
  const patches = timmPatches(eyes[0]!);
  return {
    mostTokens: patches,
    tokens: () => patches,
    graph: () => {
      const graph = new Graph();
      const pixels = graph.input('pixel_values', 'float32', ['B', channels, side, side]);
      const named = weights(graph);
      const seen = eyes.map((each, number) => {
        const own =
          eyes.length === 1 ? pixels : op.slice(pixels, 1, { start: 3 * number, end: 3 * number + 3 });
        return timmVision(named, each, { prefix: prefixes[number]!, pixelValues: own });
      });
      graph.output('features', seen.length === 1 ? seen[0]! : op.concat(seen, 2));
      return graph;
    },
    feeds: (frame) => ({
      pixel_values: { type: 'float32', shape: [1, channels, side, side], data: process(frame) },
    }),
    features: (outputs) => outputs['features']!.data as Float32Array,
  };
}
