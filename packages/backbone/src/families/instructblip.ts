/**
 * InstructBLIP (arXiv 2305.06500): EVA's vision transformer and a Q-Former. One linear layer projects the Q-Former's
 * queries to the language model, before the text. Features are the queries' outputs; the Q-Former gets no text here.
 */
import { EmacError } from '@emac/core';

import { expectedTensors } from '../files/expected-tensors.ts';
import { loadImageProcessor } from '../files/image-processor.ts';
import { parseModelConfig, type InstructBlipConfig } from '../files/model-config.ts';
import { featureGraph } from '../networks/feature-graph.ts';
import type { Connector, Eye, Family, FamilyFiles } from './family.ts';
import { picturesFirst } from './prompts/prompt-form.ts';

export const instructBlip: Family<InstructBlipConfig> = {
  name: 'instructblip',
  title: 'an InstructBLIP',
  config: parseModelConfig,
  nameOf: (stored) => stored,
  moduleOf: (name) => name,
  tensors: expectedTensors,
  vision: { limitsPixels: false, connector, eye },
  prompts: ({ folder }, tokenizer) => {
    const { beginToken, endToken } = tokenizer;
    if (beginToken === null || endToken === null)
      throw new EmacError(
        'data',
        `${folder}: tokenizer must name a begin and an end token, got ${beginToken} and ${endToken}; name them in tokenizer_config.json (bos_token, eos_token)`,
      );
    return picturesFirst({ encode: (text) => tokenizer.encode(text), beginToken, endToken });
  },
};

function connector({ config: { qformer, queryTokens } }: FamilyFiles<InstructBlipConfig>): Connector {
  return {
    inputWidth: qformer.hiddenSize,
    featureValues: queryTokens * qformer.hiddenSize,
    sight: (features) => {
      if (features.length === queryTokens * qformer.hiddenSize) return { rows: features };
      throw new EmacError(
        'data',
        `student: features must be ${queryTokens} × ${qformer.hiddenSize} numbers, got ${features.length}; were they made by another model?`,
      );
    },
  };
}

function eye(files: FamilyFiles<InstructBlipConfig>): Eye {
  const { config, companions } = files;
  const { imageSize } = config.vision;
  const processor = loadImageProcessor(companions.imageProcessor, imageSize);
  return {
    mostTokens: config.queryTokens,
    tokens: () => config.queryTokens,
    graph: () => featureGraph(files, { text: false }),
    feeds: (frame) => ({
      pixel_values: {
        type: 'float32',
        shape: [1, 3, imageSize, imageSize],
        data: processor.process(frame),
      },
    }),
    features: (outputs) => outputs['qformer_output']!.data as Float32Array,
  };
}
