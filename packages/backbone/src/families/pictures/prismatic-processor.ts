/**
 * From a frame to the input of one or two vision encoders, as OpenVLA's PrismaticImageProcessor does it. The frame becomes a
 * square: `resize-naive` does not keep the aspect, `letterbox` centres it on the mean's colour, `resize-crop` takes its middle.
 * Resizing is bicubic like Pillow's. Each encoder has its own normalisation and channels. The file's keys `tvf_*` follow from
 * the others and are not read.
 */
import type { Frame } from '@emac/core';

import { requireResult, resizeBicubic } from '../../files/pillow-resize.ts';
import { channelTables, checkFrame, toPixelValues } from '../../files/image-processor.ts';
import { readImageProcessor } from '../../files/image-processor-file.ts';
import { fieldsOf, type Fields, type JsonObject } from '../../files/json-object.ts';

export interface PrismaticProcessor {
  /** [3·eyes, side, side]. Errors: `data` if the frame's size and bytes disagree. */
  (frame: Frame): Float32Array;
}

type Square = (frame: Frame, side: number) => Uint8Array;

/** The processor of an image processor's file for vision encoders of `sides` pixels. Errors: `missing`, `config`. */
export function loadPrismaticProcessor(file: string, sides: readonly number[]): PrismaticProcessor {
  const config = readImageProcessor(file);
  const fields = fieldsOf(config, file);
  checkSizes(config, { fields, sides });
  const tables = sides.map((_, eye) => tablesOf(config, { fields, eye }));
  const square = squareOf(config, fields);
  return (frame) => {
    checkFrame(frame);
    const planes = sides.map((side, eye) => toPixelValues(square(frame, side), tables[eye]!));
    const pixels = new Float32Array(planes.reduce((sum, { length }) => sum + length, 0));
    planes.reduce((start, plane) => (pixels.set(plane, start), start + plane.length), 0);
    return pixels;
  };
}

interface Sizes {
  readonly fields: Fields;
  readonly sides: readonly number[];
}

function checkSizes(config: JsonObject, { fields, sides }: Sizes): void {
  const wanted = JSON.stringify(sides.map((side) => [3, side, side]));
  if (JSON.stringify(config['input_sizes'] ?? [[3, 224, 224]]) !== wanted)
    fields.fail('input_sizes', `must be ${wanted}, as the configuration's image_sizes`);
  const interpolations = config['interpolations'];
  if (!Array.isArray(interpolations) || interpolations.some((each) => each !== 'bicubic'))
    fields.fail('interpolations', 'must be "bicubic" for each vision encoder');
}

/** The value of `key` for one encoder; a processor without it has SigLIP's halves. */
function ofEye(config: JsonObject, key: 'means' | 'stds', eye: number): unknown {
  const all = config[key] ?? [[0.5, 0.5, 0.5]];
  return Array.isArray(all) ? (all[eye] as unknown) : undefined;
}

function tablesOf(config: JsonObject, { fields, eye }: { fields: Fields; eye: number }): Float32Array[] {
  const [mean, deviation] = [ofEye(config, 'means', eye), ofEye(config, 'stds', eye)];
  if (!Array.isArray(mean)) fields.fail('means', 'must be three numbers for each vision encoder');
  if (!Array.isArray(deviation)) fields.fail('stds', 'must be three numbers for each vision encoder');
  return channelTables({ image_mean: mean, image_std: deviation }, fields);
}

function squareOf(config: JsonObject, fields: Fields): Square {
  const strategy = fields.text('image_resize_strategy', 'letterbox');
  if (strategy === 'resize-naive')
    return (frame, side) => resizeBicubic(frame.data, frame, { width: side, height: side });
  if (strategy === 'resize-crop') return middle;
  if (strategy !== 'letterbox')
    fields.fail('image_resize_strategy', 'must be resize-naive, letterbox or resize-crop');
  // as published: the last encoder's mean for all
  const means = config['means'] ?? [[0.5, 0.5, 0.5]];
  const last = ofEye(config, 'means', (means as unknown[]).length - 1) as number[];
  const colour = Uint8Array.from(last, (mean) => Math.trunc(mean * 255));
  return (frame, side) => middle(padded(frame, colour), side);
}

/** The frame centred on a square of one colour; an odd border has one pixel less. */
function padded({ width, height, data }: Frame, colour: Uint8Array): Frame {
  const most = Math.max(width, height);
  const [left, top] = [Math.trunc((most - width) / 2), Math.trunc((most - height) / 2)];
  const size = { width: width + 2 * left, height: height + 2 * top };
  requireResult({ width, height }, size);
  const result = new Uint8Array(size.width * size.height * 3);
  for (let place = 0; place < result.length; place++) result[place] = colour[place % 3]!;
  for (let row = 0; row < height; row++)
    result.set(data.subarray(row * width * 3, (row + 1) * width * 3), ((top + row) * size.width + left) * 3);
  return { ...size, data: result };
}

/** Scales the shorter side to `side`, then crops the middle. */
function middle(frame: Frame, side: number): Uint8Array {
  const { width, height } = frame;
  const longer = Math.trunc((side * Math.max(width, height)) / Math.min(width, height));
  const size = width <= height ? { width: side, height: longer } : { width: longer, height: side };
  const data = resizeBicubic(frame.data, frame, size);
  const [left, top] = [halfToEven(size.width - side), halfToEven(size.height - side)];
  const result = new Uint8Array(side * side * 3);
  for (let row = 0; row < side; row++) {
    const start = ((top + row) * size.width + left) * 3;
    result.set(data.subarray(start, start + side * 3), row * side * 3);
  }
  return result;
}

/** Half of a whole number, rounded as Python does: ½ to the even one. */
function halfToEven(whole: number): number {
  const down = Math.floor(whole / 2);
  return whole % 2 === 1 && down % 2 === 1 ? down + 1 : down;
}
