/**
 * From a frame to tiles, as Hugging Face's LlavaNextImageProcessor does it: the whole picture at the encoder's size (aspect
 * not kept), then the picture at the best of several resolutions (aspect kept, black around it), cut into tiles of the
 * encoder's size.
 */
import type { Frame } from '@emac/core';

import { resizeBicubic } from '../../files/pillow-resize.ts';
import { channelTables, checkFrame, toPixelValues } from '../../files/image-processor.ts';
import { readImageProcessor } from '../../files/image-processor-file.ts';
import { fieldsOf, type Fields } from '../../files/json-object.ts';

export type FrameSize = Pick<Frame, 'width' | 'height'>;

export interface LlavaProcessor {
  /** [1 + tiles, 3, side, side], the whole picture first. Errors: `data` if the frame's size and bytes disagree. */
  (frame: Frame): Float32Array;
}

/** The processor of an image processor's file for a vision encoder of `side` pixels. Errors: `missing`, `config`. */
export function loadLlavaProcessor(
  file: string,
  { side, resolutions }: { readonly side: number; readonly resolutions: readonly FrameSize[] },
): LlavaProcessor {
  const config = readImageProcessor(file);
  const fields = fieldsOf(config, file);
  checkSize(fields, side);
  const given = config['image_grid_pinpoints'];
  const wanted = resolutions.map(({ width, height }) => [height, width]);
  if (given != null && JSON.stringify(given) !== JSON.stringify(wanted))
    fields.fail('image_grid_pinpoints', `must be the configuration's ${JSON.stringify(wanted)}`);
  if (fields.number('resample', 3) !== 3) fields.fail('resample', 'must be 3 (bicubic)');
  const tables = channelTables(config, fields);
  return (frame) => {
    checkFrame(frame);
    const best = bestResolution(frame, resolutions);
    const whole = resizeBicubic(frame.data, frame, { width: side, height: side });
    const tiles = [whole, ...tilesOf(padded(frame, best), side)];
    const pixels = new Float32Array(tiles.length * 3 * side * side);
    tiles.forEach((tile, index) => pixels.set(toPixelValues(tile, tables), index * 3 * side * side));
    return pixels;
  };
}

function checkSize(fields: Fields, side: number): void {
  for (const key of ['size', 'crop_size']) {
    const given = fields.object(key) ?? {};
    const sides = Object.values(given);
    if (sides.some((each) => each !== side))
      fields.fail(key, `must be the vision model's image_size ${side}`);
  }
}

/** The resolution that keeps most of the picture's pixels; of equals, the one that wastes least. */
export function bestResolution({ width, height }: FrameSize, resolutions: readonly FrameSize[]): FrameSize {
  let best: { readonly shown: number; readonly wasted: number; readonly size: FrameSize } | undefined;
  for (const size of resolutions) {
    const scale = Math.min(size.width / width, size.height / height);
    const shown = Math.min(Math.trunc(width * scale) * Math.trunc(height * scale), width * height);
    const wasted = size.width * size.height - shown;
    if (!best || shown > best.shown || (shown === best.shown && wasted < best.wasted))
      best = { shown, wasted, size };
  }
  return best!.size;
}

/** The picture scaled to fit, centred on black. */
function padded(frame: Frame, to: FrameSize): Frame {
  const [across, down] = [to.width / frame.width, to.height / frame.height];
  const size =
    across < down
      ? { width: to.width, height: Math.min(Math.ceil(frame.height * across), to.height) }
      : { width: Math.min(Math.ceil(frame.width * down), to.width), height: to.height };
  const picture = resizeBicubic(frame.data, frame, size);
  const left = Math.floor((to.width - size.width) / 2);
  const top = Math.floor((to.height - size.height) / 2);
  const data = new Uint8Array(to.width * to.height * 3);
  for (let row = 0; row < size.height; row++)
    data.set(
      picture.subarray(row * size.width * 3, (row + 1) * size.width * 3),
      ((top + row) * to.width + left) * 3,
    );
  return { ...to, data };
}

function tilesOf({ width, height, data }: Frame, side: number): Uint8Array[] {
  const tiles: Uint8Array[] = [];
  for (let top = 0; top < height; top += side)
    for (let left = 0; left < width; left += side) {
      const tile = new Uint8Array(side * side * 3);
      for (let row = 0; row < side; row++) {
        const start = ((top + row) * width + left) * 3;
        tile.set(data.subarray(start, start + side * 3), row * side * 3);
      }
      tiles.push(tile);
    }
  return tiles;
}
