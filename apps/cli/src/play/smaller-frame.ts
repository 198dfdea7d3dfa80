/** Scales pictures down for terminals with few pixels. */
import type { Frame } from '@emac/core';

/** A picture whose longer side has at most `side` pixels; each pixel is the mean of the originals. */
export function smallerFrame(frame: Frame, side: number): Frame {
  const longer = Math.max(frame.width, frame.height);
  if (longer <= side) return frame;
  const size = (pixels: number): number => Math.max(1, Math.floor((pixels * side) / longer));
  const [width, height] = [size(frame.width), size(frame.height)];
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const columns = span(x, width, frame.width);
      data.set(mean(frame, columns, span(y, height, frame.height)), (y * width + x) * 3);
    }
  return { width, height, data };
}

type Span = readonly [first: number, end: number];

function span(place: number, of: number, pixels: number): Span {
  return [Math.floor((place * pixels) / of), Math.floor(((place + 1) * pixels) / of)];
}

function mean({ width, data }: Frame, [left, right]: Span, [top, bottom]: Span): number[] {
  const sum = [0, 0, 0];
  for (let y = top; y < bottom; y++)
    for (let x = left; x < right; x++)
      for (let channel = 0; channel < 3; channel++) sum[channel]! += data[(y * width + x) * 3 + channel]!;
  return sum.map((each) => Math.round(each / ((right - left) * (bottom - top))));
}
