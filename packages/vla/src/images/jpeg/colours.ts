/** RGB and YCbCr of JFIF (ITU-R BT.601, full range) in 16-bit fixed point, with the rounding of the widespread library. */
import type { Frame } from '@emac/core';
import { planeOf, type Plane } from './plane.ts';

const fixed = (number: number): number => Math.round(number * 65536);
const half = 32768;
const middle = 128 * 65536;

/** Three planes at full size: luminance, blue and red difference, each 0 … 255. */
export function toYcc({ width, height, data }: Frame): [Plane, Plane, Plane] {
  const planes: [Plane, Plane, Plane] = [
    planeOf(width, height),
    planeOf(width, height),
    planeOf(width, height),
  ];
  const [luminance, blue, red] = planes;
  for (let pixel = 0; pixel < width * height; pixel++) {
    const [r, g, b] = [data[pixel * 3]!, data[pixel * 3 + 1]!, data[pixel * 3 + 2]!];
    luminance.values[pixel] = (fixed(0.299) * r + fixed(0.587) * g + fixed(0.114) * b + half) >> 16;
    blue.values[pixel] =
      (-fixed(0.16874) * r - fixed(0.33126) * g + fixed(0.5) * b + middle + half - 1) >> 16;
    red.values[pixel] = (fixed(0.5) * r - fixed(0.41869) * g - fixed(0.08131) * b + middle + half - 1) >> 16;
  }
  return planes;
}

/** The picture of three planes of equal size. */
export function toRgb([luminance, blue, red]: readonly [Plane, Plane, Plane]): Frame {
  const { width, height } = luminance;
  // clamped on assignment
  const data = new Uint8ClampedArray(width * height * 3);
  for (let pixel = 0; pixel < width * height; pixel++) {
    const y = luminance.values[pixel]!;
    const [cb, cr] = [blue.values[pixel]! - 128, red.values[pixel]! - 128];
    data[pixel * 3] = y + ((fixed(1.402) * cr + half) >> 16);
    data[pixel * 3 + 1] = y + ((-fixed(0.34414) * cb - fixed(0.71414) * cr + half) >> 16);
    data[pixel * 3 + 2] = y + ((fixed(1.772) * cb + half) >> 16);
  }
  return { width, height, data: new Uint8Array(data.buffer) };
}
