/** Pictures as OpenEnv's environments send them: in base64, as data URLs, or as nested lists of numbers; and lists of such. */
import { EmacError, type Frame } from '@emac/core';
import { decodeImage } from '@emac/images';

/** of one picture; a larger claimed size is refused before it takes memory */
const limits = { bytes: 32 * 1024 * 1024, pixels: 16_000_000 };

/** None for null. Errors: `data` for what is no picture. */
export async function framesIn(value: unknown): Promise<readonly Frame[]> {
  if (value === null || value === undefined || value === '') return [];
  if (typeof value === 'string') return [await decodeImage(bytesIn(value), limits)];
  if (!Array.isArray(value)) throw noPicture();
  if (value.every((each) => typeof each === 'string' || depthOf(each) === 3))
    return (await Promise.all(value.map(framesIn))).flat();
  return [frameIn(value)];
}

function bytesIn(text: string): Buffer {
  const [, data = text] = /^data:[^,]*;base64,(.*)$/s.exec(text) ?? [];
  return Buffer.from(data, 'base64');
}

/** Axes of nested lists. */
function depthOf(value: unknown): number {
  return Array.isArray(value) ? 1 + depthOf(value[0]) : 0;
}

/** Rows of columns of grey, RGB or RGBA, from 0 to 255. */
function frameIn(rows: readonly unknown[]): Frame {
  const height = rows.length;
  const width = Array.isArray(rows[0]) ? rows[0].length : 0;
  const data = new Uint8Array(width * height * 3);
  rows.forEach((row, y) => {
    if (!Array.isArray(row) || row.length !== width) throw noPicture();
    row.forEach((pixel: unknown, x) => data.set(colourIn(pixel), 3 * (y * width + x)));
  });
  if (width === 0) throw noPicture();
  return { width, height, data };
}

function colourIn(pixel: unknown): readonly number[] {
  const numbers = (Array.isArray(pixel) ? pixel : [pixel]) as readonly unknown[];
  if (!numbers.every((each) => typeof each === 'number' && each >= 0 && each <= 255)) throw noPicture();
  const [red, green = red, blue = red] = numbers as readonly number[];
  return [red!, green!, blue!];
}

function noPicture(): EmacError {
  return new EmacError(
    'data',
    'is no picture: it must be a PNG or JPEG in base64, or rows of columns of numbers from 0 to 255',
  );
}
