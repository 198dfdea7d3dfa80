/**
 * Decodes pictures: PNG and JPEG only, recognised by their first bytes, within limits checked before pixels are
 * decoded. Pixels are Pillow's: upright by the EXIF orientation, as transformers and datasets load files, then
 * `convert('RGB')`, which drops alpha, ignores colour profiles and converts CMYK by its plain formula. Departure: LAVIS
 * does not turn pictures upright.
 */
import { EmacError, messageOf } from '@emac/core';
import type { Frame } from '@emac/core';
import { readPicture, type Reading } from '#codec';

export interface ImageLimits {
  /** bytes of the compressed picture; 32 MiB by default */
  readonly bytes?: number;
  /** width × height; 25 million by default */
  readonly pixels?: number;
}

/** of a side, as in JPEG: a longer strip is small as a file and endless work for whoever scales it */
const longestSide = 65_535;

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
  const format = imageFormat(bytes);
  if (!format) throw new EmacError('data', `picture: must be PNG or JPEG; ${otherContent(bytes)}`);
  const frame = await decoded(bytes, { format, pixels });
  const { width, height } = frame;
  if (Math.max(width, height) > longestSide)
    throw new EmacError(
      'data',
      `picture: a side may have at most ${longestSide} pixels, has ${width} × ${height}`,
    );
  return frame;
}

async function decoded(bytes: Uint8Array, reading: Reading): Promise<Frame> {
  try {
    return await readPicture(bytes, reading);
  } catch (thrown) {
    if (thrown instanceof EmacError) throw thrown;
    throw new EmacError('data', `picture: cannot be decoded: ${messageOf(thrown)}`, { cause: thrown });
  }
}

const others = [
  [/^GIF8/, 'GIF'],
  [/^RIFF[^]{4}WEBP/, 'WebP'],
  [/^BM/, 'BMP'],
  [/^(?:II\*\0|MM\0\*)/, 'TIFF'],
  [/^[^]{4}ftyp(?:avif|avis)/, 'AVIF'],
  [/^[^]{4}ftyp(?:hei|mif1|msf1)/, 'HEIC'],
] as const;

/** What the first bytes are instead, with the remedy. */
function otherContent(bytes: Uint8Array): string {
  const start = String.fromCharCode(...bytes.subarray(0, 64));
  if (start.startsWith('version https://git-lfs'))
    return 'it is a Git LFS pointer; fetch the file (git lfs pull)';
  const [, name] = others.find(([pattern]) => pattern.test(start)) ?? [];
  return name === undefined ? 'its first bytes are neither' : `it is ${name}; convert it`;
}
