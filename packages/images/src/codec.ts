/** Reads and writes pictures with sharp. In a browser's bundle `codec.browser.ts` takes this place. */
import type { Frame } from '@emac/core';
import type { Sharp } from 'sharp';
import { pictureLibrary } from './picture-library.ts';

/** Equal frames give equal bytes. Errors: `unavailable` without the library, and its own. */
export function writePng(frame: Frame): Promise<Uint8Array> {
  return written(frame, (picture) =>
    picture.png({ compressionLevel: 6, adaptiveFiltering: false, palette: false, progressive: false }),
  );
}

/** Errors: `unavailable` without the library, and its own. */
export function writeJpeg(frame: Frame, quality: number): Promise<Uint8Array> {
  return written(frame, (picture) => picture.jpeg({ quality, progressive: false, mozjpeg: false }));
}

async function written(
  { width, height, data }: Frame,
  format: (picture: Sharp) => Sharp,
): Promise<Uint8Array> {
  const sharp = await pictureLibrary();
  return Uint8Array.from(await format(sharp(data, { raw: { width, height, channels: 3 } })).toBuffer());
}

export interface Reading {
  readonly format: 'png' | 'jpeg';
  /** most width × height */
  readonly pixels: number;
}

/** Errors: `unavailable` without the library, and its own. */
export async function readPicture(bytes: Uint8Array, { format, pixels }: Reading): Promise<Frame> {
  const sharp = await pictureLibrary();
  const options = {
    limitInputPixels: pixels,
    failOn: 'warning',
    autoOrient: true,
    ignoreIcc: true,
  } as const;
  const isCmyk = format === 'jpeg' && (await sharp(bytes, options).metadata()).space === 'cmyk';
  const picture = sharp(bytes, options);
  const { data, info } = await (
    isCmyk
      ? picture.pipelineColourspace('cmyk').toColourspace('cmyk')
      : picture.toColourspace('srgb').removeAlpha()
  )
    .raw()
    .toBuffer({ resolveWithObject: true });
  const channels = isCmyk ? 4 : 3;
  if (info.channels !== channels) throw new Error(`${info.channels} channels instead of ${channels}`);
  const { width, height } = info;
  return { width, height, data: isCmyk ? rgbOfCmyk(data) : Uint8Array.from(data) };
}

/** Pillow's formula: each of the three inks darkens what black leaves. */
function rgbOfCmyk(cmyk: Uint8Array): Uint8Array {
  const rgb = new Uint8Array((cmyk.byteLength / 4) * 3);
  for (let [from, to] = [0, 0]; from < cmyk.byteLength; from += 4) {
    const light = 255 - cmyk[from + 3]!;
    for (let ink = 0; ink < 3; ink++) rgb[to++] = light - Math.round((cmyk[from + ink]! * light) / 255);
  }
  return rgb;
}
