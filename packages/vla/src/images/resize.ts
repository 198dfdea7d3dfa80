/**
 * Lanczos-3 with antialiasing as in `tf.image.resize`: the kernel widens as the picture shrinks, and the weights inside the picture are
 * normalized to sum to 1. Columns come first, as in TensorFlow, except for a strip whose columns would make it much larger
 * than both pictures.
 */
import { EmacError, type Frame } from '@emac/core';
import { requireFrame } from './frames.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** how many times the larger picture the one between the passes may have before the passes change places */
const mostBetween = 8;

/** The frame at another size, rounded to whole steps. Errors: `data`; `usage` for an invalid size. */
export function resizeLanczos(frame: Frame, { width, height }: Size): Frame {
  requireFrame(frame);
  requireSize({ width, height });
  const columns = (picture: Values) => resizedColumns(picture, height);
  const rows = (picture: Values) => resizedRows(picture, width);
  const largest = Math.max(frame.width * frame.height, width * height);
  const { data } = frame.width * height > mostBetween * largest ? columns(rows(frame)) : rows(columns(frame));
  // rounded and clamped on assignment, halves to even
  return { width, height, data: new Uint8Array(Uint8ClampedArray.from(data).buffer) };
}

interface Values extends Size {
  readonly data: ArrayLike<number>;
}

function resizedColumns({ width, height, data }: Values, to: number): Values {
  const row = width * 3;
  const result = new Float64Array(to * row);
  spansOf(height, to).forEach((span, down) => {
    for (let place = 0; place < row; place++)
      result[down * row + place] = weighed(data, span, { first: place, step: row });
  });
  return { width, height: to, data: result };
}

function resizedRows({ width, height, data }: Values, to: number): Values {
  const result = new Float64Array(height * to * 3);
  const spans = spansOf(width, to);
  for (let row = 0; row < height; row++)
    spans.forEach((span, column) => {
      for (let channel = 0; channel < 3; channel++)
        result[(row * to + column) * 3 + channel] = weighed(data, span, {
          first: row * width * 3 + channel,
          step: 3,
        });
    });
  return { width: to, height, data: result };
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
