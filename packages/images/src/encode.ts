/**
 * Encodes pictures. Every setting that affects bytes is fixed here, so equal frames give equal PNG files and a content
 * hash identifies a frame; JPEG is for people to look at.
 */
import { EmacError, messageOf } from '@emac/core';
import type { Frame } from '@emac/core';
import { writeJpeg, writePng } from '#codec';

/** A PNG file (8-bit RGB, lossless, no metadata); equal frames give equal bytes. Errors: `data`; `unavailable` without its library. */
export function encodePng(frame: Frame): Promise<Uint8Array> {
  return encoded(frame, writePng);
}

/** A JPEG file (no metadata); `quality` 1–100, 90 by default. Errors: `data`. */
export function encodeJpeg(frame: Frame, quality = 90): Promise<Uint8Array> {
  return encoded(frame, (picture) => writeJpeg(picture, quality));
}

async function encoded(frame: Frame, write: (picture: Frame) => Promise<Uint8Array>): Promise<Uint8Array> {
  const { width, height, data } = frame;
  const isSide = (side: unknown) => Number.isInteger(side) && (side as number) > 0;
  if (!isSide(width) || !isSide(height))
    throw new EmacError(
      'data',
      `frame: width and height must be whole numbers of pixels from 1, got ${JSON.stringify([width, height])}`,
    );
  if (data.byteLength !== width * height * 3)
    throw new EmacError(
      'data',
      `frame: ${width} × ${height} pixels need ${width * height * 3} bytes of RGB, got ${data.byteLength}`,
    );
  try {
    return await write(frame);
  } catch (thrown) {
    if (thrown instanceof EmacError) throw thrown;
    throw new EmacError('data', `frame: cannot be encoded: ${messageOf(thrown)}`, { cause: thrown });
  }
}
