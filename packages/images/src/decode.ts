/**
 * Decodes pictures: PNG and JPEG only, recognised by their first bytes, within limits checked before pixels are
 * decoded. Alpha is dropped, not composited, and EXIF orientation is ignored, as Pillow's `convert('RGB')` does in the
 * published preprocessing. Grey and CMYK pictures become sRGB.
 */
import { EmacError, messageOf } from '@emac/core';
import type { Frame } from '@emac/core';
import { pictureLibrary } from './picture-library.ts';

export interface ImageLimits {
  /** bytes of the compressed picture; 32 MiB by default */
  readonly bytes?: number;
  /** width × height; 25 million by default */
  readonly pixels?: number;
}

const signatures = [
  { format: 'png', bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { format: 'jpeg', bytes: [0xff, 0xd8, 0xff] },
] as const;

/** `png` or `jpeg` by the first bytes, or null for anything else. */
export function imageFormat(bytes: Uint8Array): 'png' | 'jpeg' | null {
  const found = signatures.find(({ bytes: start }) => start.every((byte, index) => bytes[index] === byte));
  return found?.format ?? null;
}

/** The RGB frame of a PNG or JPEG picture; `data` for other formats, damage, or a picture over the limits; `unavailable` without its library. */
export async function decodeImage(bytes: Uint8Array, limits: ImageLimits = {}): Promise<Frame> {
  const { bytes: maximumBytes = 32 * 1024 * 1024, pixels = 25_000_000 } = limits;
  if (bytes.byteLength > maximumBytes)
    throw new EmacError('data', `picture: may have at most ${maximumBytes} bytes, has ${bytes.byteLength}`);
  if (!imageFormat(bytes))
    throw new EmacError('data', 'picture: must be PNG or JPEG; its first bytes are neither');
  const sharp = await pictureLibrary();
  try {
    const pipeline = sharp(bytes, { limitInputPixels: pixels, failOn: 'warning' });
    const { data, info } = await pipeline.toColourspace('srgb').removeAlpha().raw().toBuffer({
      resolveWithObject: true,
    });
    if (info.channels !== 3) throw new Error(`${info.channels} channels instead of 3`);
    return { width: info.width, height: info.height, data: Uint8Array.from(data) };
  } catch (thrown) {
    throw new EmacError('data', `picture: cannot be decoded: ${messageOf(thrown)}`, { cause: thrown });
  }
}
