/** Pictures that are sent to a model elsewhere, no larger than it would look at them. */
import type { Frame } from '@emac/core';

import { resizeBicubic } from '../files/bicubic.ts';
import { wholeTokens } from './qwen-processor.ts';

/** pixels along a visual token of the published Qwen2-VL and Qwen2.5-VL */
const factor = 28;

/**
 * A picture of at most so many pixels: as Qwen2-VL's preparation scales it, which then leaves it as it is, so that such a model sees the same whether it was
 * sent whole or scaled. A picture within the limit stays as it is. Errors: `data` where one side is more than 200 times the other.
 */
export function scaledWithin(frame: Frame, maxPixels: number): Frame {
  if (frame.width * frame.height <= maxPixels) return frame;
  const to = wholeTokens(frame, { factor, least: 1, most: maxPixels });
  return { ...to, data: resizeBicubic(frame.data, frame, to) };
}
