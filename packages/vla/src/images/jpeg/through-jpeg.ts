/**
 * A picture after JPEG compression, without the file. The losses are in colour conversion, halved chroma and quantized blocks; Huffman coding
 * loses nothing. Baseline, 4:2:0, standard tables (ITU-T T.81, annex K), exactly like TensorFlow's `encode_jpeg` and `decode_image` by
 * default: an accurate forward transform, the fast inverse one. OpenVLA's training data sets are stored this way.
 */
import { EmacError, type Frame } from '@emac/core';
import { requireFrame } from '../frames.ts';
import { toRgb, toYcc } from './colours.ts';
import { forwardTransform } from './forward.ts';
import { inverseFactors, inverseTransform } from './inverse.ts';
import { doubled, halved, sized, type Plane } from './plane.ts';
import { chrominanceSteps, luminanceSteps } from './steps.ts';

/** The frame after a JPEG of `quality` (1 … 100, TensorFlow's 95 by default). Errors: `data`, also for sides below 8; `usage`. */
export function throughJpeg(frame: Frame, quality = 95): Frame {
  requireFrame(frame, 8);
  if (!Number.isInteger(quality) || quality < 1 || quality > 100)
    throw new EmacError('usage', `JPEG quality: must be a whole number from 1 to 100, got ${quality}`);
  const [luminance, blue, red] = toYcc(frame);
  return toRgb([
    quantized(luminance, luminanceSteps(quality)),
    throughHalf(blue, chrominanceSteps(quality)),
    throughHalf(red, chrominanceSteps(quality)),
  ]);
}

const upTo = (number: number, multiple: number): number => Math.ceil(number / multiple) * multiple;

function throughHalf(plane: Plane, steps: readonly number[]): Plane {
  const { width, height } = plane;
  // columns are repeated before halving, rows after, like in encoders
  const half = halved(sized(plane, upTo(width, 16), upTo(height, 2)));
  const seen = sized(quantized(half, steps), Math.ceil(width / 2), Math.ceil(height / 2));
  return doubled(seen, width, height);
}

/** Each block of 8 × 8 transformed, rounded to multiples of the steps and transformed back. */
function quantized(plane: Plane, steps: readonly number[]): Plane {
  const whole = sized(plane, upTo(plane.width, 8), upTo(plane.height, 8));
  const factors = inverseFactors(steps);
  const block = new Int32Array(64);
  for (let top = 0; top < whole.height; top += 8)
    for (let left = 0; left < whole.width; left += 8) {
      const placeOf = (place: number): number => (top + (place >> 3)) * whole.width + left + (place & 7);
      for (let place = 0; place < 64; place++) block[place] = whole.values[placeOf(place)]! - 128;
      forwardTransform(block);
      for (let place = 0; place < 64; place++)
        block[place] = nearestMultiple(block[place]!, steps[place]! * 8) * factors[place]!;
      inverseTransform(block);
      for (let place = 0; place < 64; place++) whole.values[placeOf(place)] = block[place]!;
    }
  return sized(whole, plane.width, plane.height);
}

/** The number of steps; halves away from zero. */
function nearestMultiple(value: number, step: number): number {
  const count = Math.floor((Math.abs(value) + (step >> 1)) / step);
  return value < 0 ? -count : count;
}
