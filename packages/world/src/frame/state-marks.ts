/**
 * Marks for an object's states, on a card of 32 × 32 units. Hot: a burning edge at the top and left, and steam. Cool:
 * an icy edge at the bottom and right, and a snowflake. Clean: a sparkle. Sliced: a dashed cut. A lamp that is on: rays
 * behind it. Each mark has its own place, so all combinations can be distinguished.
 */
import { drawPicture, readPicture } from './picture.ts';
import type { Placement } from './picture.ts';
import type { Canvas } from './canvas.ts';
import type { VisibleObject } from './visible-state.ts';

const rays = readPicture(
  'box 0 0 32 32 yellow; line 16 16 1 1 3 white; line 16 16 16 0 3 white; line 16 16 31 1 3 white; ' +
    'line 16 16 0 16 3 white; line 16 16 32 16 3 white; line 16 16 1 31 3 white; line 16 16 31 31 3 white; ' +
    'oval 16 16 11 11 amber',
);
const heat = readPicture(
  'box 0 0 32 3 red; box 0 0 3 32 red; box 3 3 29 1.5 orange; box 3 3 1.5 29 orange; ' +
    'line 9 10 7 7 2 orange; line 7 7 10 4 2 orange; line 15 10 13 7 2 orange; line 13 7 16 4 2 orange',
);
const frost = readPicture(
  'box 0 29 32 3 blue; box 29 0 3 32 blue; box 0 27.5 29 1.5 cyan; box 27.5 0 1.5 29 cyan; ' +
    'oval 24 24 6 6 white; line 19 24 29 24 1.6 blue; line 24 19 24 29 1.6 blue; ' +
    'line 20.5 20.5 27.5 27.5 1.6 blue; line 27.5 20.5 20.5 27.5 1.6 blue',
);
const sparkle = readPicture(
  'poly 24 0 26 6 32 8 26 10 24 16 22 10 16 8 22 6 gold; poly 24 2 25.3 6.7 30 8 25.3 9.3 24 14 22.7 9.3 18 8 22.7 6.7 white',
);
const cut = readPicture(
  'line 3 29 9 23 3 ink; line 12 20 18 14 3 ink; line 21 11 27 5 3 ink; ' +
    'line 3 29 9 23 1.5 white; line 12 20 18 14 1.5 white; line 21 11 27 5 1.5 white',
);

/** The marks behind the object. */
export function drawBackMarks(canvas: Canvas, object: VisibleObject, at: Placement): void {
  if (object.on) drawPicture(canvas, rays, at);
}

/** The marks in front of the object. */
export function drawFrontMarks(canvas: Canvas, object: VisibleObject, at: Placement): void {
  if (object.sliced) drawPicture(canvas, cut, at);
  if (object.hot) drawPicture(canvas, heat, at);
  if (object.cool) drawPicture(canvas, frost, at);
  if (object.clean) drawPicture(canvas, sparkle, at);
}
