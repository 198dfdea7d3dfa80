import type { TinySizes } from '../tiny-model/config.ts';

/** Sizes of emma-tiny. */
export const emmaTinySizes: TinySizes = {
  imageSize: 224,
  patchSize: 16,
  eyeLayers: 3,
  queryTokens: 16,
  textLayers: 5,
  feedForward: 352,
};
