/**
 * Crops the middle of a picture and resizes it back, for models trained on random crops: `tf.image.crop_and_resize` (bilinear,
 * corners on corners) of numbers from 0 to 1, then `convert_image_dtype`, which truncates 255.5 · x.
 */
import { EmacError, type Frame } from '@emac/core';
import { requireFrame } from './frames.ts';

/** The middle `area` (0 < area ≤ 1; 0.9 for OpenVLA) of a frame, at the frame's size. Errors: `data`; `usage` for another area. */
export function cropCentre(frame: Frame, area = 0.9): Frame {
  requireFrame(frame, 2);
  if (!(area > 0 && area <= 1))
    throw new EmacError('usage', `crop: the area must be above 0 and at most 1, got ${area}`);
  const { width, height } = frame;
  const side = Math.sqrt(area);
  const [down, across] = [placesOf(height, side), placesOf(width, side)];
  const data = new Uint8Array(width * height * 3);
  down.forEach((y, row) => {
    across.forEach((x, column) => {
      for (let channel = 0; channel < 3; channel++)
        data[(row * width + column) * 3 + channel] = steps(bilinear(frame, { y, x, channel }));
    });
  });
  return { width, height, data };
}

/** The input coordinate of each output position. */
function placesOf(length: number, side: number): readonly number[] {
  const last = length - 1;
  return Array.from({ length }, (_, place) => ((1 - side) / 2) * last + place * side);
}

interface Place {
  readonly y: number;
  readonly x: number;
  readonly channel: number;
}

function bilinear({ width, data }: Frame, { y, x, channel }: Place): number {
  const at = (row: number, column: number): number => data[(row * width + column) * 3 + channel]! / 255;
  const between = (row: number): number => {
    const [left, right] = [at(row, Math.floor(x)), at(row, Math.ceil(x))];
    return left + (right - left) * (x - Math.floor(x));
  };
  const [top, bottom] = [between(Math.floor(y)), between(Math.ceil(y))];
  return top + (bottom - top) * (y - Math.floor(y));
}

const steps = (number: number): number => Math.min(Math.floor(number * 255.5), 255);
