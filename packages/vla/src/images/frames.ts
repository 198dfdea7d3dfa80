/** Pictures of this package: RGB with whole sides. */
import { EmacError, type Frame } from '@emac/core';

/** Errors: `data` if sides and bytes disagree, or a side is shorter than `shortest`. */
export function requireFrame({ width, height, data }: Frame, shortest = 1): void {
  const isSide = (side: number): boolean => Number.isInteger(side) && side >= shortest;
  if (isSide(width) && isSide(height) && data.length === width * height * 3) return;
  throw new EmacError(
    'data',
    `picture: needs sides of at least ${shortest} and height × width × 3 bytes, got ${width} × ${height} and ${data.length} bytes`,
  );
}

/** Rotates by 180 degrees: LIBERO's cameras hang upside down, and the model was trained on rotated pictures. Errors: `data`. */
export function rotate180(frame: Frame): Frame {
  requireFrame(frame);
  const { width, height } = frame;
  const data = new Uint8Array(frame.data.length);
  const pixels = width * height;
  for (let pixel = 0; pixel < pixels; pixel++)
    data.set(frame.data.subarray(pixel * 3, pixel * 3 + 3), (pixels - 1 - pixel) * 3);
  return { width, height, data };
}
