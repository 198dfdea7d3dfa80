/**
 * From a frame to patches, as Hugging Face's Qwen2VLImageProcessor does it. Sides are rounded to whole visual tokens
 * (half to even, as in Python) within `min_pixels` and `max_pixels`. Resizing is bicubic like Pillow's; values are times
 * 1/255, less the mean, divided by the deviation. The picture is repeated as `temporal_patch_size` equal frames.
 */
import { EmacError, type Frame } from '@emac/core';

import { resizeBicubic } from '../../files/pillow-resize.ts';
import { channelTables, checkFrame } from '../../files/image-processor.ts';
import { readImageProcessor } from '../../files/image-processor-file.ts';
import { fieldsOf, type Fields } from '../../files/json-object.ts';
import type { QwenVisionConfig } from '../../networks/qwen-vision.ts';

export interface PatchedPicture {
  /** in patches */
  readonly rows: number;
  readonly columns: number;
  /** [rows · columns, 3 · time · side · side], token by token */
  readonly patches: Float32Array;
}

export interface QwenProcessor {
  /** Errors: `data` if the frame's size and bytes disagree, or one side is more than 200 times the other. */
  (frame: Frame): PatchedPicture;
  /** most visual tokens of one picture */
  readonly mostTokens: number;
  /** in patches */
  size(frame: Pick<Frame, 'width' | 'height'>): Pick<PatchedPicture, 'rows' | 'columns'>;
}

type Sizes = Pick<QwenVisionConfig, 'patchSize' | 'temporalPatchSize' | 'mergeSize'>;

/** The processor of an image processor's file; `maxPixels` overrides the file's. Errors: `missing`, `config`, `usage`. */
export function loadQwenProcessor(
  file: string,
  sizes: Sizes,
  maxPixels: number | null = null,
): QwenProcessor {
  const config = readImageProcessor(file);
  const fields = fieldsOf(config, file);
  checkSizes(fields, sizes);
  const limits = limitedTo(maxPixels, pixelLimits(fields));
  const tables = channelTables(config, fields);
  const factor = sizes.patchSize * sizes.mergeSize;
  const target = (frame: Pick<Frame, 'width' | 'height'>) => wholeTokens(frame, { factor, ...limits });
  const inPatches = ({ width, height }: Pick<Frame, 'width' | 'height'>) => ({
    rows: height / sizes.patchSize,
    columns: width / sizes.patchSize,
  });
  const process = (frame: Frame): PatchedPicture => {
    checkFrame(frame);
    const to = target(frame);
    const bytes = resizeBicubic(frame.data, frame, to);
    return { ...inPatches(to), patches: patchesOf({ ...to, data: bytes }, sizes, tables) };
  };
  const mostTokens = Math.floor(limits.most / factor ** 2);
  return Object.assign(process, {
    mostTokens,
    size: (frame: Pick<Frame, 'width' | 'height'>) => inPatches(target(frame)),
  });
}

function checkSizes(fields: Fields, { patchSize, temporalPatchSize, mergeSize }: Sizes): void {
  const wanted = { patch_size: patchSize, temporal_patch_size: temporalPatchSize, merge_size: mergeSize };
  for (const [key, size] of Object.entries(wanted))
    if (fields.positiveInteger(key, size) !== size) fields.fail(key, `must be the vision model's ${size}`);
  if (fields.number('resample', 3) !== 3) fields.fail('resample', 'must be 3 (bicubic)');
  if (!fields.boolean('do_resize', true)) fields.fail('do_resize', 'must be true');
}

interface Limits {
  readonly least: number;
  readonly most: number;
}

function pixelLimits(fields: Fields): Limits {
  const size = fieldsOf(fields.object('size') ?? {}, 'image processor: size');
  const limits = {
    least: fields.positiveInteger('min_pixels', size.positiveInteger('shortest_edge', 56 * 56)),
    most: fields.positiveInteger('max_pixels', size.positiveInteger('longest_edge', 28 * 28 * 1280)),
  };
  if (limits.least > limits.most)
    throw new EmacError(
      'config',
      `image processor: min_pixels (shortest_edge of size) must not be over max_pixels (longest_edge) ${limits.most}, got ${limits.least}`,
    );
  return limits;
}

function limitedTo(maxPixels: number | null, { least, most }: Limits): Limits {
  if (maxPixels === null) return { least, most };
  if (maxPixels >= least) return { least, most: maxPixels };
  throw new EmacError(
    'usage',
    `--max-pixels: must be at least the model's min_pixels, ${least}, got ${maxPixels}`,
  );
}

/** Sides in whole tokens, with about as many pixels as before within the limits. */
export function wholeTokens(
  { width, height }: Pick<Frame, 'width' | 'height'>,
  { factor, least, most }: Limits & { readonly factor: number },
): Pick<Frame, 'width' | 'height'> {
  if (Math.max(width, height) > 200 * Math.min(width, height))
    throw new EmacError(
      'data',
      `frame: one side must be at most 200 times the other, got ${width} × ${height}`,
    );
  const sides = (round: (side: number) => number) => {
    return { width: round(width) * factor, height: round(height) * factor };
  };
  const nearest = sides((side) => roundHalfToEven(side / factor));
  const pixels = nearest.width * nearest.height;
  if (pixels > most) {
    const shrink = Math.sqrt((height * width) / most);
    return sides((side) => Math.max(1, Math.floor(side / shrink / factor)));
  }
  if (pixels >= least) return nearest;
  const grow = Math.sqrt(least / (height * width));
  return sides((side) => Math.ceil((side * grow) / factor));
}

function roundHalfToEven(x: number): number {
  const floor = Math.floor(x);
  if (x - floor !== 0.5) return Math.round(x);
  return floor % 2 === 0 ? floor : floor + 1;
}

/** Channels, frames, rows and columns of each patch; patches of one token are adjacent. */
function patchesOf(
  { width, height, data }: Frame,
  { patchSize: side, temporalPatchSize: moments, mergeSize: merge }: Sizes,
  tables: readonly Float32Array[],
): Float32Array {
  const [rows, columns] = [height / side, width / side];
  const result = new Float32Array(rows * columns * 3 * moments * side * side);
  let next = 0;
  const putPatch = (row: number, column: number) => {
    tables.forEach((table, channel) => {
      for (let moment = 0; moment < moments; moment++)
        for (let y = row * side; y < (row + 1) * side; y++)
          for (let x = column * side; x < (column + 1) * side; x++)
            result[next++] = table[data[(y * width + x) * 3 + channel]!]!;
    });
  };
  for (let top = 0; top < rows; top += merge)
    for (let left = 0; left < columns; left += merge)
      for (let row = top; row < top + merge; row++)
        for (let column = left; column < left + merge; column++) putPatch(row, column);
  return result;
}
