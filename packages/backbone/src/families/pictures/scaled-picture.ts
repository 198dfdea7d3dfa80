/** Pictures for a remote model, scaled down to the size that it would use. */
import type { Frame } from '@emac/core';

import { resizeBicubic } from '../../files/pillow-resize.ts';
import { wholeTokens } from './qwen-processor.ts';

/** pixels per visual token side in the published Qwen2-VL and Qwen2.5-VL */
const factor = 28;

/**
 * A picture of at most `maxPixels` pixels, scaled as Qwen2-VL's preprocessing scales it. That preprocessing then leaves it unchanged, so the model sees the
 * same picture whether it was sent whole or scaled. Smaller pictures stay as they are. Errors: `data` if one side is more than 200 times the other.
 */
export function scaledWithin(frame: Frame, maxPixels: number): Frame {
  if (frame.width * frame.height <= maxPixels) return frame;
  const to = wholeTokens(frame, { factor, least: 1, most: maxPixels });
  return { ...to, data: resizeBicubic(frame.data, frame, to) };
}
