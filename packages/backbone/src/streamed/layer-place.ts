/** Whether sessions hold a language model as a whole, or compute it layer by layer from its files. */
import { EmacError } from '@emac/core';
import type { Provider } from '@emac/graph';

import type { ModelFiles } from '../files/model-files.ts';

/** `resident`: one graph, weights in memory or mapped; `streamed`: read layer by layer in every pass. */
export type LayerPlace = 'resident' | 'streamed';

/** from this size of the language model in float32, layers are streamed: 2 billion parameters */
const residentBytes = 2 ** 33;

/** The requested place; by default streamed if the model is large and runs on the CPU. Errors: `usage`. */
export function layerPlace(files: ModelFiles, provider: Provider, wanted?: LayerPlace): LayerPlace {
  const { layers } = files.config.llama;
  const isInt8 = [...files.tensors.values()].some(({ dtype }) => dtype === 'I8');
  if (isInt8 && wanted === 'resident')
    throw new EmacError('usage', 'layers resident: weights of eight bits can only be streamed; use streamed');
  const canStream = provider === 'cpu' && layers >= 2;
  if ((wanted === 'streamed' || isInt8) && !canStream)
    throw new EmacError(
      'usage',
      `layers streamed: needs the provider cpu and two layers or more, got ${provider} and ${layers}; use resident`,
    );
  return wanted ?? (isInt8 || (canStream && float32Bytes(files) > residentBytes) ? 'streamed' : 'resident');
}

function float32Bytes({ tensors }: ModelFiles): number {
  const ofLanguageModel = [...tensors.values()].filter(({ name }) => name.startsWith('language_model.'));
  return ofLanguageModel.reduce(
    (sum, { shape }) => sum + 4 * shape.reduce((size, each) => size * each, 1),
    0,
  );
}
