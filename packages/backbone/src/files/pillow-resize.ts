/**
 * Pillow's resize, bit for bit (src/libImaging/Resample.c): separable, widened when shrinking (antialias), 22-bit fixed-point
 * weights, bytes between the two passes. Filters: bicubic (Catmull–Rom-like, a = −½), bilinear, and Lanczos of three lobes.
 * Departure: rows come first, as in Pillow, except for a strip whose rows would make it much larger than both pictures.
 */
import { EmacError } from '@emac/core';

interface Taps {
  /** first input sample of every output sample */
  readonly first: Int32Array;
  readonly weights: readonly Int32Array[];
}

const bits = 22;
const half = 1 << (bits - 1);

interface Size {
  readonly width: number;
  readonly height: number;
}

/** half the width of each filter, and its value at a distance */
const filters = {
  lanczos: { reach: 3, at: lanczos },
  bilinear: { reach: 1, at: (distance: number) => Math.max(0, 1 - Math.abs(distance)) },
  bicubic: { reach: 2, at: cubic },
} as const;

export type ResizeFilter = keyof typeof filters;

/** Pillow's numbers of the filters, as `resample` of an image processor has them. */
export const resampleNumbers: ReadonlyMap<number, ResizeFilter> = new Map([
  [1, 'lanczos'],
  [2, 'bilinear'],
  [3, 'bicubic'],
]);

/** `resize` with the bicubic filter. */
export function resizeBicubic(data: Uint8Array, from: Size, to: Size): Uint8Array {
  return resize(data, { from, to, filter: 'bicubic' });
}

/** pixels of the largest result */
const mostPixels = 64_000_000;

/** how many times the larger picture the one between the passes may have before the passes change places */
const mostBetween = 8;

interface Resizing {
  readonly from: Size;
  readonly to: Size;
  readonly filter: ResizeFilter;
}

/** Bytes [height, width, channels] → [outHeight, outWidth, channels]. Errors: `data` for a result over 64 million pixels. */
export function resize(data: Uint8Array, { from, to, filter }: Resizing): Uint8Array {
  requireResult(from, to);
  const channels = data.length / (from.width * from.height);
  const across = (picture: Uint8Array, height: number): Uint8Array => {
    if (from.width === to.width) return picture;
    return eachRow(picture, { from: { width: from.width, height }, width: to.width, channels, filter });
  };
  const down = (picture: Uint8Array, width: number): Uint8Array => {
    if (from.height === to.height) return picture;
    return downColumns(picture, { from: from.height, to: to.height, row: width * channels, filter });
  };
  const largest = Math.max(from.width * from.height, to.width * to.height);
  if (to.width * from.height > mostBetween * largest) return across(down(data, from.width), to.height);
  return down(across(data, from.height), to.width);
}

/** Errors: `data`: a strip whose shorter side is scaled up can grow to gigabytes. */
export function requireResult(from: Size, to: Size): void {
  if (to.width * to.height <= mostPixels) return;
  throw new EmacError(
    'data',
    `picture: ${from.width} × ${from.height} pixels would become ${to.width} × ${to.height}, at most ${mostPixels} fit; bring its sides closer together`,
  );
}

interface Rows {
  readonly from: Size;
  readonly width: number;
  readonly channels: number;
  readonly filter: ResizeFilter;
}

/** Every row resized to another width; a row equal to the one before, frequent in rendered frames, is not computed again. */
function eachRow(data: Uint8Array, { from, width, channels, filter }: Rows): Uint8Array {
  const taps = tapsFor(from.width, width, filter);
  const [inRow, outRow] = [from.width * channels, width * channels];
  const result = new Uint8Array(from.height * outRow);
  for (let row = 0; row < from.height; row++) {
    const line = data.subarray(row * inRow, (row + 1) * inRow);
    if (row > 0 && isEqual(line, data.subarray((row - 1) * inRow, row * inRow)))
      result.copyWithin(row * outRow, (row - 1) * outRow, row * outRow);
    else writeRow(result.subarray(row * outRow, (row + 1) * outRow), line, { ...taps, channels });
  }
  return result;
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return false;
  return true;
}

function writeRow(
  result: Uint8Array,
  line: Uint8Array,
  { first, weights, channels }: Taps & { readonly channels: number },
): void {
  let target = 0;
  for (let out = 0; out < weights.length; out++) {
    const taps = weights[out]!;
    const start = first[out]! * channels;
    for (let channel = 0; channel < channels; channel++) {
      let sum = half;
      for (let tap = 0, at = start + channel; tap < taps.length; tap++, at += channels)
        sum = (sum + Math.imul(line[at]!, taps[tap]!)) | 0;
      result[target++] = toByte(sum);
    }
  }
}

interface Columns {
  readonly from: number;
  readonly to: number;
  /** bytes of a row */
  readonly row: number;
  readonly filter: ResizeFilter;
}

/** Rows of bytes resized to another number of rows; keeps a row of sums, so bytes are read in order. */
function downColumns(data: Uint8Array, { from, to, row, filter }: Columns): Uint8Array {
  const { first, weights } = tapsFor(from, to, filter);
  const result = new Uint8Array(to * row);
  const sums = new Int32Array(row);
  for (let out = 0; out < to; out++) {
    sums.fill(half);
    weights[out]!.forEach((weight, tap) => addRow(sums, data, { start: (first[out]! + tap) * row, weight }));
    const target = out * row;
    for (let column = 0; column < row; column++) result[target + column] = toByte(sums[column]!);
  }
  return result;
}

function addRow(
  sums: Int32Array,
  data: Uint8Array,
  { start, weight }: { readonly start: number; readonly weight: number },
): void {
  for (let column = 0; column < sums.length; column++)
    sums[column] = (sums[column]! + Math.imul(data[start + column]!, weight)) | 0;
}

function toByte(sum: number): number {
  const byte = sum >> bits;
  if (byte < 0) return 0;
  return byte > 255 ? 255 : byte;
}

const known = new Map<string, Taps>();

/** Frames come in few sizes, so results per size are kept. */
function tapsFor(inSize: number, outSize: number, filter: ResizeFilter): Taps {
  const key = `${inSize} ${outSize} ${filter}`;
  const found = known.get(key) ?? computedTaps(inSize, outSize, filter);
  // bounds memory for programs with ever new frame sizes
  if (known.size > 64) known.clear();
  known.set(key, found);
  return found;
}

function computedTaps(inSize: number, outSize: number, filter: ResizeFilter): Taps {
  const { at, reach } = filters[filter];
  const scale = inSize / outSize;
  const widening = Math.max(1, scale);
  const support = reach * widening;
  const first = new Int32Array(outSize);
  const weights = Array.from({ length: outSize }, (_, out) => {
    const center = (out + 0.5) * scale;
    const start = Math.max(0, Math.trunc(center - support + 0.5));
    const end = Math.min(inSize, Math.trunc(center + support + 0.5));
    first[out] = start;
    return fixedPoint(
      Array.from({ length: end - start }, (_, i) => at((i + start - center + 0.5) * (1 / widening))),
    );
  });
  return { first, weights };
}

/** Weights that sum to one, rounded half away from zero. */
function fixedPoint(values: readonly number[]): Int32Array {
  const total = values.reduce((sum, value) => sum + value, 0);
  return Int32Array.from(values, (value) => {
    const scaled = (total === 0 ? value : value / total) * 2 ** bits;
    return Math.trunc(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
  });
}

function cubic(distance: number): number {
  const a = -0.5;
  const x = Math.abs(distance);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

/** sinc(x) · sinc(x / 3) within three lobes. */
function lanczos(distance: number): number {
  const sinc = (x: number) => (x === 0 ? 1 : Math.sin(x * Math.PI) / (x * Math.PI));
  return distance >= -3 && distance < 3 ? sinc(distance) * sinc(distance / 3) : 0;
}
