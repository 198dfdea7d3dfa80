/**
 * From a frame to the pixels of CLIP or SigLIP, as Hugging Face's CLIPImageProcessor (LlavaImageProcessor without padding)
 * and SiglipImageProcessor do it: either the shorter side to a length and the middle cut out, or both sides to a length each.
 */
import type { Frame } from '@emac/core';

import { channelTables, checkFrame, halfNormalization, toPixelValues } from '../../files/image-processor.ts';
import { readImageProcessor } from '../../files/image-processor-file.ts';
import { fieldsOf, type Fields, type JsonObject } from '../../files/json-object.ts';
import { resampleNumbers, resize } from '../../files/pillow-resize.ts';

type FrameSize = Pick<Frame, 'width' | 'height'>;

/** [3, side, side]. Errors: `data` if the frame's size and bytes disagree. */
export type ClipProcessor = (frame: Frame) => Float32Array;

export interface ClipProcessorOptions {
  /** of the vision encoder's pictures, in pixels */
  readonly side: number;
  readonly isSiglip: boolean;
}

/** The processor of an image processor's file. Errors: `missing`, `config`. */
export function loadClipProcessor(file: string, { side, isSiglip }: ClipProcessorOptions): ClipProcessor {
  const config = readImageProcessor(file);
  const fields = fieldsOf(config, file);
  const type = fields.text('image_processor_type', isSiglip ? 'SiglipImageProcessor' : 'CLIPImageProcessor');
  const known = /^(CLIP|Llava|Siglip)ImageProcessor(Fast)?$/.exec(type);
  if (!known)
    return fields.fail(
      'image_processor_type',
      'must be CLIPImageProcessor, LlavaImageProcessor or SiglipImageProcessor',
    );
  const filter = resampleNumbers.get(fields.number('resample', 3));
  if (!filter) return fields.fail('resample', 'must be 1 (Lanczos), 2 (bilinear) or 3 (bicubic)');
  if (!fields.boolean('do_resize', true)) fields.fail('do_resize', 'must be true');
  if (fields.boolean('do_pad', false))
    fields.fail('do_pad', 'must be false (padding to a square is not supported)');
  const isOfSiglip = known[1] === 'Siglip';
  const target = targetOf(fields, isOfSiglip);
  const crops = !isOfSiglip && fields.boolean('do_center_crop', true);
  checkResult(fields, { config, crops, side });
  const tables = channelTables(config, fields, ...(isOfSiglip ? [halfNormalization] : []));
  return (frame) => {
    checkFrame(frame);
    const to = target(frame);
    const all = { ...to, data: resize(frame.data, { from: frame, to, filter }) };
    return toPixelValues(middle(all, side), tables);
  };
}

/** The size that a picture is resized to. */
function targetOf(fields: Fields, isOfSiglip: boolean): (frame: FrameSize) => FrameSize {
  const given = fields.object('size') ?? (isOfSiglip ? { height: 224, width: 224 } : { shortest_edge: 224 });
  const size = fieldsOf(given, 'size');
  if (given['shortest_edge'] === undefined) {
    const fixed = {
      width: size.positiveInteger('width', null),
      height: size.positiveInteger('height', null),
    };
    return () => fixed;
  }
  const shortest = size.positiveInteger('shortest_edge', null);
  return ({ width, height }) => {
    const long = Math.trunc((shortest * Math.max(width, height)) / Math.min(width, height));
    return width <= height ? { width: shortest, height: long } : { width: long, height: shortest };
  };
}

/** Errors: `config` if a picture would not get the encoder's size. */
function checkResult(
  fields: Fields,
  { config, crops, side }: { readonly config: JsonObject; readonly crops: boolean; readonly side: number },
): void {
  const size = fields.object('size') ?? {};
  const sides = Object.values(size) as number[];
  if (crops) {
    const crop = config['crop_size'];
    const cut = typeof crop === 'object' && crop !== null ? Object.values(crop) : [crop ?? 224];
    if (cut.some((each) => each !== side))
      fields.fail('crop_size', `must be the vision model's image_size ${side}`);
    if (sides.some((each) => each < side)) fields.fail('size', `must be at least crop_size ${side}`);
  } else if (size['shortest_edge'] !== undefined || sides.some((each) => each !== side))
    fields.fail('size', `must be the vision model's image_size ${side} in height and width`);
}

/** A square of the picture's middle. */
function middle({ width, height, data }: Frame, side: number): Uint8Array {
  const [top, left] = [Math.floor((height - side) / 2), Math.floor((width - side) / 2)];
  const square = new Uint8Array(side * side * 3);
  for (let row = 0; row < side; row++) {
    const start = ((top + row) * width + left) * 3;
    square.set(data.subarray(start, start + side * 3), row * side * 3);
  }
  return square;
}
