/** Rectangles on an RGB picture, clipped at its edges. */
import type { Frame } from '@emac/core';

export type Colour = readonly [red: number, green: number, blue: number];

export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export const white: Colour = [255, 255, 255];
export const black: Colour = [0, 0, 0];
/** #35654d, the table that cards lie on */
export const felt: Colour = [0x35, 0x65, 0x4d];

/** Width and height of the pictures of all games, in pixels. */
export const side = 300;

/** A picture of one colour. */
export function plainFrame(width: number, height: number, colour: Colour): Frame {
  const frame = { width, height, data: new Uint8Array(width * height * 3) };
  fill(frame, { x: 0, y: 0, width, height }, colour);
  return frame;
}

export function copyOf({ width, height, data }: Frame): Frame {
  return { width, height, data: data.slice() };
}

export function fill({ width, height, data }: Frame, at: Rectangle, [red, green, blue]: Colour): void {
  const [left, right] = [Math.max(0, at.x), Math.min(width, at.x + at.width)];
  const [top, bottom] = [Math.max(0, at.y), Math.min(height, at.y + at.height)];
  for (let y = top; y < bottom; y++)
    for (let place = (y * width + left) * 3; place < (y * width + right) * 3; place += 3) {
      data[place] = red;
      data[place + 1] = green;
      data[place + 2] = blue;
    }
}

/** Copies `piece` with its upper left corner at a place of the frame; it may cross the right and lower edges. */
export function paste(
  { width, height, data }: Frame,
  piece: Frame,
  { x, y }: Pick<Rectangle, 'x' | 'y'>,
): void {
  const columns = Math.min(piece.width, width - x);
  if (columns <= 0) return;
  for (let row = 0; row < Math.min(piece.height, height - y); row++) {
    const from = row * piece.width * 3;
    data.set(piece.data.subarray(from, from + columns * 3), ((y + row) * width + x) * 3);
  }
}
