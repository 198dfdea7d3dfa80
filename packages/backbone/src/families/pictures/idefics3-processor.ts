/**
 * From a frame to tiles, as Hugging Face's Idefics3ImageProcessor does it: the longer side to `longest_edge`, then both sides
 * up to whole tiles, then the tiles line by line and at last the whole picture at a tile's size. A picture of one tile is
 * itself the whole.
 */
import type { Frame } from '@emac/core';

import { channelTables, checkFrame, halfNormalization, toPixelValues } from '../../files/image-processor.ts';
import { readImageProcessor } from '../../files/image-processor-file.ts';
import { fieldsOf, type Fields } from '../../files/json-object.ts';
import { resampleNumbers, resize } from '../../files/pillow-resize.ts';

type FrameSize = Pick<Frame, 'width' | 'height'>;

export interface Idefics3Processor {
  /** [tiles + 1, 3, side, side], the whole picture last. Errors: `data` if the frame's size and bytes disagree. */
  (frame: Frame): Float32Array;
  /** pixels per side of a tile */
  readonly side: number;
  /** rows and columns of tiles; 0 for a picture of one */
  grid(frame: FrameSize): { readonly rows: number; readonly columns: number };
}

/** no picture is larger, whatever the file says */
const mostPixels = 4096;

/** The processor of an image processor's file. Errors: `missing`, `config`. */
export function loadIdefics3Processor(file: string): Idefics3Processor {
  const config = readImageProcessor(file);
  const fields = fieldsOf(config, file);
  const longest = longestEdge(fields, { key: 'size', usual: 4 * 364 });
  const side = longestEdge(fields, { key: 'max_image_size', usual: 364 });
  const filter = resampleNumbers.get(fields.number('resample', 1));
  if (!filter) return fields.fail('resample', 'must be 1 (Lanczos), 2 (bilinear) or 3 (bicubic)');
  for (const key of ['do_resize', 'do_pad']) if (!fields.boolean(key, true)) fields.fail(key, 'must be true');
  const splits = fields.boolean('do_image_splitting', true);
  const tables = channelTables(config, fields, halfNormalization);
  const whole = { width: side, height: side };
  const tiled = (frame: FrameSize): FrameSize =>
    splits ? wholeTiles(scaledTo(frame, longest), side) : whole;
  const grid = (frame: FrameSize) => {
    const { width, height } = tiled(frame);
    const isOne = width === side && height === side;
    return { rows: isOne ? 0 : height / side, columns: isOne ? 0 : width / side };
  };
  const process = (frame: Frame): Float32Array => {
    checkFrame(frame);
    const resized = (picture: Frame, to: FrameSize): Frame => ({
      ...to,
      data: resize(picture.data, { from: picture, to, filter }),
    });
    const all = resized(resized(frame, scaledTo(frame, longest)), tiled(frame));
    const { rows, columns } = grid(frame);
    const pictures = [...tilesOf(all, { rows, columns, side }), resized(all, whole).data];
    const pixels = new Float32Array(pictures.length * 3 * side ** 2);
    pictures.forEach((picture, index) => pixels.set(toPixelValues(picture, tables), index * 3 * side ** 2));
    return pixels;
  };
  return Object.assign(process, { side, grid });
}

function longestEdge(fields: Fields, { key, usual }: { key: string; usual: number }): number {
  const given = fields.object(key) ?? { longest_edge: usual };
  if (Object.keys(given).join() !== 'longest_edge')
    return fields.fail(key, 'must name longest_edge alone (other sizes are not supported)');
  return fieldsOf(given, key).positiveInteger('longest_edge', null);
}

/** The longer side of this length, the other in proportion and even. */
function scaledTo({ width, height }: FrameSize, longest: number): FrameSize {
  const aspect = width / height;
  const even = (side: number) => Math.max(1, side + (side % 2));
  const scaled =
    width >= height
      ? { width: longest, height: even(Math.trunc(longest / aspect)) }
      : { width: even(Math.trunc(longest * aspect)), height: longest };
  return withinMost(scaled);
}

function withinMost({ width, height }: FrameSize): FrameSize {
  const aspect = width / height;
  if (width >= height && width > mostPixels)
    return { width: mostPixels, height: Math.max(1, Math.trunc(mostPixels / aspect)) };
  if (height > width && height > mostPixels)
    return { width: Math.max(1, Math.trunc(mostPixels * aspect)), height: mostPixels };
  return { width, height };
}

/** Both sides up to whole tiles, the longer one first. */
function wholeTiles({ width, height }: FrameSize, side: number): FrameSize {
  const aspect = width / height;
  const up = (pixels: number) => Math.ceil(pixels / side) * side;
  return width >= height
    ? { width: up(width), height: up(Math.trunc(up(width) / aspect)) }
    : { width: up(Math.trunc(up(height) * aspect)), height: up(height) };
}

interface Tiling {
  readonly rows: number;
  readonly columns: number;
  readonly side: number;
}

function tilesOf({ width, data }: Frame, { rows, columns, side }: Tiling): Uint8Array[] {
  return Array.from({ length: rows * columns }, (_, number) => {
    const [top, left] = [Math.floor(number / columns) * side, (number % columns) * side];
    const tile = new Uint8Array(side * side * 3);
    for (let row = 0; row < side; row++) {
      const start = ((top + row) * width + left) * 3;
      tile.set(data.subarray(start, start + side * 3), row * side * 3);
    }
    return tile;
  });
}
