/** The frozen vision encoder: pixels through the vision model and the Q-Former, with or without text for the Q-Former. */
import { Graph } from '@emac/graph';

import type { FamilyFiles } from '../families/family.ts';
import type { InstructBlipConfig } from '../files/model-config.ts';
import { qformer } from './qformer.ts';
import { vision } from './vision.ts';

/**
 * `pixel_values` [B, 3, H, W] (and, with text, `qformer_input_ids`, `qformer_attention_mask` int64 [B, T]) →
 * `qformer_output` [B, Nq, Dq].
 */
export function featureGraph(
  { config, weights: weightsOf }: Pick<FamilyFiles<InstructBlipConfig>, 'config' | 'weights'>,
  { text }: { text: boolean },
): Graph {
  const graph = new Graph();
  const weights = weightsOf(graph);
  const { imageSize } = config.vision;
  const pixelValues = graph.input('pixel_values', 'float32', ['B', 3, imageSize, imageSize]);
  const imageHidden = vision(weights, config.vision, pixelValues);
  const words = text
    ? {
        ids: graph.input('qformer_input_ids', 'int64', ['B', 'T']),
        mask: graph.input('qformer_attention_mask', 'int64', ['B', 'T']),
      }
    : undefined;
  graph.output(
    'qformer_output',
    qformer(weights, config.qformer, { imageHidden, ...(words ? { text: words } : {}) }),
  );
  return graph;
}
