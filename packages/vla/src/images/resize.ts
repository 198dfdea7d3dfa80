/**
 * Lanczos-3 with antialiasing as in `tf.image.resize`: the kernel widens as the picture shrinks, and the weights inside the picture are
 * normalized to sum to 1.
 */
import { EmacError, type Frame } from '@emac/core';
import { requireFrame } from './frames.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The frame at another size, rounded to whole steps. Errors: `data`; `usage` for an invalid size. */
export function resizeLanczos(frame: Frame, { width, height }: Size): Frame {
  requireFrame(frame);
  requireSize({ width, height });
  const across = spansOf(frame.width, width);
  const down = spansOf(frame.height, height);
  const rows = new Float64Array(height * frame.width * 3);
  down.forEach((span, row) => {
    for (let place = 0; place < frame.width * 3; place++)
      rows[row * frame.width * 3 + place] = weighed(frame.data, span, {
        first: place,
        step: frame.width * 3,
      });
  });
  // rounded and clamped on assignment, halves to even
  const data = new Uint8ClampedArray(height * width * 3);
  for (let row = 0; row < height; row++)
    across.forEach((span, column) => {
      for (let channel = 0; channel < 3; channel++)
        data[(row * width + column) * 3 + channel] = weighed(rows, span, {
          first: row * frame.width * 3 + channel,
          step: 3,
        });
    });
  return { width, height, data: new Uint8Array(data.buffer) };
}

/** Errors: `usage`. */
function requireSize({ width, height }: Size): void {
  const isSide = (side: number): boolean => Number.isInteger(side) && side >= 1;
  if (!isSide(width) || !isSide(height))
    throw new EmacError('usage', `picture: needs a size of whole pixels, got ${width} × ${height}`);
}

interface Span {
  readonly start: number;
  readonly weights: Float64Array;
}

/** For each output position its input positions and weights. */
function spansOf(input: number, output: number): readonly Span[] {
  const stride = input / output;
  const stretch = Math.max(stride, 1);
  return Array.from({ length: output }, (_, place): Span => {
    const centre = (place + 0.5) * stride;
    const start = Math.max(Math.ceil(centre - 3 * stretch - 0.5), 0);
    const end = Math.min(Math.floor(centre + 3 * stretch - 0.5), input - 1);
    const weights = Float64Array.from({ length: end - start + 1 }, (_, step) =>
      lanczos((start + step + 0.5 - centre) / stretch),
    );
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return { start, weights: weights.map((weight) => weight / total) };
  });
}

function lanczos(distance: number): number {
  const x = Math.abs(distance) * Math.PI;
  if (x < 1e-9) return 1;
  return x >= 3 * Math.PI ? 0 : (3 * Math.sin(x) * Math.sin(x / 3)) / (x * x);
}

function weighed(
  values: ArrayLike<number>,
  { start, weights }: Span,
  { first, step }: { readonly first: number; readonly step: number },
): number {
  let sum = 0;
  for (let place = 0; place < weights.length; place++)
    sum += weights[place]! * values[first + (start + place) * step]!;
  return sum;
}
