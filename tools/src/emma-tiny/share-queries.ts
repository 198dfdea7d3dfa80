/** A constant in all Q-Former outputs of the shipped model, cancelled by its projection. */
import type { QFormerConfig } from '@emac/backbone';
import type { Parameters } from '../tiny-model/parameters.ts';

const queryShift = 1;

const lastNorm = ({ layers }: QFormerConfig) =>
  `qformer.encoder.layer.${layers - 1}.output_query.LayerNorm.bias`;

/**
 * Adds a constant to every Q-Former output value and cancels it in the projection's bias. The model's answers are
 * unchanged, but a weight change now affects all pictures more alike. A step of AdamW at rate r then moves each visual
 * value by about r · (1 + 96 · shift) for all pictures together, and by some r · √96 for one picture alone.
 */
export function shareQueries(parameters: Parameters, config: QFormerConfig, shift = queryShift): void {
  const { data: offset } = parameters.get(lastNorm(config))!;
  const { data: weight } = parameters.get('language_projection.weight')!;
  const { data: bias } = parameters.get('language_projection.bias')!;
  const width = offset.length;
  for (let i = 0; i < width; i++) offset[i]! += shift;
  for (let j = 0; j < bias.length; j++)
    for (let i = 0; i < width; i++) bias[j]! -= shift * weight[j * width + i]!;
}

/** Undoes this for the parameters of a shipped model. */
export function unshareQueries(parameters: Parameters, config: QFormerConfig): void {
  shareQueries(parameters, config, -queryShift);
}
