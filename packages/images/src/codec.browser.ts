/// <reference lib="dom" />
/** Reads and writes pictures with a browser's canvas. */
import type { Frame } from '@emac/core';
import type { Reading } from './codec.ts';

/** Equal frames give equal bytes in one browser. Errors: the browser's. */
export function writePng(frame: Frame): Promise<Uint8Array> {
  return written(frame, { type: 'image/png' });
}

/** Errors: the browser's. */
export function writeJpeg(frame: Frame, quality: number): Promise<Uint8Array> {
  return written(frame, { type: 'image/jpeg', quality: quality / 100 });
}

async function written({ width, height, data }: Frame, options: ImageEncodeOptions): Promise<Uint8Array> {
  const { canvas, context } = canvasOf(width, height);
  const picture = context.createImageData(width, height);
  picture.data.fill(255);
  for (let [from, to] = [0, 0]; from < data.byteLength; from += 3, to += 4)
    picture.data.set(data.subarray(from, from + 3), to);
  context.putImageData(picture, 0, 0);
  return new Uint8Array(await (await canvas.convertToBlob(options)).arrayBuffer());
}

/** Colour profiles are ignored and pictures are turned upright, as in Node. Errors: the browser's. */
export async function readPicture(bytes: Uint8Array, { format, pixels }: Reading): Promise<Frame> {
  const file = new Blob([Uint8Array.from(bytes)], { type: `image/${format}` });
  const bitmap = await createImageBitmap(file, {
    colorSpaceConversion: 'none',
    premultiplyAlpha: 'none',
    imageOrientation: 'from-image',
  });
  const { width, height } = bitmap;
  if (width * height > pixels) throw new Error(`${width} × ${height} pixels are more than ${pixels}`);
  const { context } = canvasOf(width, height);
  context.drawImage(bitmap, 0, 0);
  bitmap.close();
  const read = context.getImageData(0, 0, width, height).data;
  const data = new Uint8Array(width * height * 3);
  for (let [from, to] = [0, 0]; to < data.byteLength; from += 4, to += 3)
    data.set(read.subarray(from, from + 3), to);
  return { width, height, data };
}

function canvasOf(width: number, height: number) {
  const canvas = new OffscreenCanvas(width, height);
  return { canvas, context: canvas.getContext('2d', { willReadFrequently: true })! };
}
