/** Pixels for OpenVLA's two vision networks: channels first, DINOv2's three before SigLIP's three. */
import type { Frame, NumberArray } from '@emac/core';
import { requireFrame } from './frames.ts';

type Rgb = readonly [number, number, number];

/** (x / 255 − mean) / deviation, of red, green and blue. */
export interface PixelNormalization {
  readonly mean: Rgb;
  readonly deviation: Rgb;
}

/** ImageNet's, for DINOv2. */
export const imageNetPixels: PixelNormalization = {
  mean: [0.485, 0.456, 0.406],
  deviation: [0.229, 0.224, 0.225],
};

/** ImageNet's numbers rounded to bfloat16, as in `preprocessor_config.json` of the released OpenVLA models. */
export const roundedImageNetPixels: PixelNormalization = {
  mean: [0.484375, 0.455078125, 0.40625],
  deviation: [0.228515625, 0.2236328125, 0.224609375],
};

/** SigLIP's: from −1 to 1. */
export const siglipPixels: PixelNormalization = { mean: [0.5, 0.5, 0.5], deviation: [0.5, 0.5, 0.5] };

/** float32 [3 · networks, height, width]; default: DINOv2 with ImageNet's numbers, and SigLIP's. Errors: `data`. */
export function normalizedPixels(
  frame: Frame,
  networks: readonly PixelNormalization[] = [imageNetPixels, siglipPixels],
): NumberArray {
  requireFrame(frame);
  const pixels = frame.width * frame.height;
  const data = new Float32Array(networks.length * 3 * pixels);
  networks.forEach(({ mean, deviation }, network) => {
    for (let channel = 0; channel < 3; channel++)
      for (let pixel = 0; pixel < pixels; pixel++)
        data[(network * 3 + channel) * pixels + pixel] =
          (frame.data[pixel * 3 + channel]! / 255 - mean[channel]!) / deviation[channel]!;
  });
  return { shape: [networks.length * 3, frame.height, frame.width], data };
}
