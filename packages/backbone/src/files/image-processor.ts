/**
 * From a frame to the vision model's input, as Hugging Face's BlipImageProcessor does it: bicubic resize as in Pillow
 * to the model's size (the aspect is not kept), times 1/255, less the mean, divided by the deviation.
 */

import { EmacError, type Frame } from '@emac/core';
import { isThere } from '@emac/files';

import { resizeBicubic } from './pillow-resize.ts';
import { readImageProcessor } from './image-processor-file.ts';
import { fieldsOf, type Fields, type JsonObject } from './json-object.ts';

export interface ImageProcessor {
  readonly width: number;
  readonly height: number;
  /** [3, height, width] float32, normalised. Errors: `data` if the frame's size and bytes disagree. */
  process(frame: Frame): Float32Array;
}

const bicubic = 3;
const clipMean = [0.48145466, 0.4578275, 0.40821073];
const clipDeviation = [0.26862954, 0.26130258, 0.27577711];

/** The processor of a `preprocessor_config.json`; without the file, CLIP's numbers at `imageSize`. */
export function loadImageProcessor(file: string, imageSize: number): ImageProcessor {
  const config = isThere(file) ? readImageProcessor(file) : { size: { height: imageSize, width: imageSize } };
  const processor = imageProcessor(config, file);
  if (processor.width !== imageSize || processor.height !== imageSize)
    throw new EmacError(
      'config',
      `${file}: size must be the vision model's image_size ${imageSize}, got ${processor.height} × ${processor.width}`,
    );
  return processor;
}

/** A processor from the contents of a `preprocessor_config.json`; `place` starts error messages. */
export function imageProcessor(config: JsonObject, place = 'image processor'): ImageProcessor {
  const fields = fieldsOf(config, place);
  const size = sizeOf(config, fields);
  if (fields.number('resample', bicubic) !== bicubic) fields.fail('resample', 'must be 3 (bicubic)');
  if (!fields.boolean('do_resize', true)) fields.fail('do_resize', 'must be true');
  const tables = channelTables(config, fields);
  return { ...size, process: (frame) => toPixelValues(resized(frame, size), tables) };
}

function sizeOf(config: JsonObject, fields: Fields): { width: number; height: number } {
  const { size } = config;
  if (typeof size === 'number') {
    const both = fields.positiveInteger('size', null);
    return { width: both, height: both };
  }
  const sides = fieldsOf(fields.object('size') ?? {}, 'image processor: size');
  return { width: sides.positiveInteger('width', 384), height: sides.positiveInteger('height', 384) };
}

/** Mean and deviation of each channel where the file names none. */
export interface Normalization {
  readonly mean: readonly number[];
  readonly deviation: readonly number[];
}

const clipNormalization: Normalization = { mean: clipMean, deviation: clipDeviation };

/** From bytes to −1 … 1, as SigLIP's processors do it. */
export const halfNormalization: Normalization = { mean: [0.5, 0.5, 0.5], deviation: [0.5, 0.5, 0.5] };

/** The value of every byte in each channel, with NumPy's float32 rounding. */
export function channelTables(
  config: JsonObject,
  fields: Fields,
  usual: Normalization = clipNormalization,
): Float32Array[] {
  const factor = fields.boolean('do_rescale', true) ? fields.number('rescale_factor', 1 / 255) : 1;
  const normalizes = fields.boolean('do_normalize', true);
  const mean = normalizes ? triple(config, fields, { key: 'image_mean', fallback: usual.mean }) : [0, 0, 0];
  const deviation = normalizes
    ? triple(config, fields, { key: 'image_std', fallback: usual.deviation })
    : [1, 1, 1];
  return mean.map((m, channel) =>
    Float32Array.from({ length: 256 }, (_, byte) => {
      const centred = Math.fround(Math.fround(byte * factor) - Math.fround(m));
      return centred / Math.fround(deviation[channel]!);
    }),
  );
}

function triple(
  config: JsonObject,
  fields: Fields,
  { key, fallback }: { key: string; fallback: readonly number[] },
): number[] {
  const value = config[key] ?? fallback;
  if (Array.isArray(value) && value.length === 3 && value.every((x) => Number.isFinite(x)))
    return value as number[];
  return fields.fail(key, 'must be three numbers');
}

function resized(frame: Frame, size: { width: number; height: number }): Uint8Array {
  checkFrame(frame);
  return resizeBicubic(frame.data, frame, size);
}

/** Errors: `data` if the frame's size and bytes disagree. */
export function checkFrame({ width, height, data }: Frame): void {
  if (width < 1 || height < 1 || data.length !== width * height * 3)
    throw new EmacError(
      'data',
      `frame: ${width} × ${height} RGB needs ${width * height * 3} bytes, got ${data.length}`,
    );
}

/** RGB bytes → [3, height, width]. */
export function toPixelValues(bytes: Uint8Array, tables: readonly Float32Array[]): Float32Array {
  const count = bytes.length / 3;
  const result = new Float32Array(bytes.length);
  tables.forEach((table, channel) => {
    for (let pixel = 0; pixel < count; pixel++)
      result[channel * count + pixel] = table[bytes[pixel * 3 + channel]!]!;
  });
  return result;
}
