/**
 * Pillow's bicubic resize, bit for bit (src/libImaging/Resample.c): separable, widened when shrinking
 * (antialias), Catmull–Rom-like kernel with a = −½, 22-bit fixed-point weights, bytes between the two passes.
 */

interface Taps {
  /** first input sample of every output sample */
  readonly first: Int32Array;
  readonly weights: readonly Int32Array[];
}

const bits = 22;

/** Bytes [height, width, channels] → [outHeight, outWidth, channels]. */
export function resizeBicubic(
  data: Uint8Array,
  from: { readonly width: number; readonly height: number },
  to: { readonly width: number; readonly height: number },
): Uint8Array {
  const channels = data.length / (from.width * from.height);
  const across =
    from.width === to.width
      ? data
      : pass(data, tapsFor(from.width, to.width), {
          lines: from.height,
          lineStride: (width) => width * channels,
          sampleStride: () => channels,
          inSize: from.width,
          outSize: to.width,
          channels,
        });
  if (from.height === to.height) return across;
  const row = to.width * channels;
  return pass(across, tapsFor(from.height, to.height), {
    lines: 1,
    lineStride: () => 0,
    sampleStride: () => row,
    inSize: from.height,
    outSize: to.height,
    channels: row,
  });
}

interface Layout {
  /** lines resampled independently */
  readonly lines: number;
  readonly lineStride: (size: number) => number;
  readonly sampleStride: () => number;
  readonly inSize: number;
  readonly outSize: number;
  /** neighbouring bytes that share a sample's weights */
  readonly channels: number;
}

function pass(data: Uint8Array, { first, weights }: Taps, layout: Layout): Uint8Array {
  const { lines, inSize, outSize, channels } = layout;
  const stride = layout.sampleStride();
  const result = new Uint8Array(lines * outSize * stride);
  for (let line = 0; line < lines; line++)
    for (let out = 0; out < outSize; out++) {
      const taps = weights[out]!;
      const start = line * layout.lineStride(inSize) + first[out]! * stride;
      const target = line * layout.lineStride(outSize) + out * stride;
      for (let channel = 0; channel < channels; channel++) {
        let sum = 1 << (bits - 1);
        for (let tap = 0; tap < taps.length; tap++) sum += data[start + tap * stride + channel]! * taps[tap]!;
        result[target + channel] = Math.min(255, Math.max(0, sum >> bits));
      }
    }
  return result;
}

function tapsFor(inSize: number, outSize: number): Taps {
  const scale = inSize / outSize;
  const widening = Math.max(1, scale);
  const support = 2 * widening;
  const first = new Int32Array(outSize);
  const weights = Array.from({ length: outSize }, (_, out) => {
    const center = (out + 0.5) * scale;
    const start = Math.max(0, Math.trunc(center - support + 0.5));
    const end = Math.min(inSize, Math.trunc(center + support + 0.5));
    first[out] = start;
    return fixedPoint(
      Array.from({ length: end - start }, (_, i) => cubic((i + start - center + 0.5) * (1 / widening))),
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
