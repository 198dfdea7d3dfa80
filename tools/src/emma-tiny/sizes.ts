import { EmacError } from '@emac/core';
import type { TinySizes } from '../tiny-model/config.ts';

/** The shipped sizes, and `large` for a GPU or a machine with many cores: about twenty times the parameters. */
const sizes: Readonly<Record<string, TinySizes>> = {
  tiny: {
    imageSize: 224,
    patchSize: 16,
    eyeLayers: 3,
    queryTokens: 16,
    textLayers: 5,
    feedForward: 352,
  },
  large: {
    imageSize: 224,
    patchSize: 16,
    eyeWidth: 288,
    eyeLayers: 6,
    queryTokens: 16,
    textWidth: 512,
    textLayers: 10,
    feedForward: 1408,
  },
};

/** `--size` of the programs that make emma-tiny. */
export const sizeOption = { type: 'string', default: 'tiny' } as const;

export function emmaTinySizes(size: string): TinySizes {
  const found = sizes[size];
  if (found) return found;
  throw new EmacError('usage', `--size: must be ${Object.keys(sizes).join(' or ')}, got ${size}`);
}
