/**
 * The receptacles the agent faces, side by side in the upper part of the frame. Each stands on a bar: green if open,
 * red if closed, absent if it cannot be opened. Its tag has its instance number, in the colour of its contents' tags.
 */
import { fillRect } from './canvas.ts';
import type { Canvas } from './canvas.ts';
import { drawNumber, numberWidth } from './digits.ts';
import { instanceNumber } from './object-card.ts';
import { palette } from './palette.ts';
import type { Colour } from './palette.ts';
import { drawPicture } from './picture.ts';
import type { Placement } from './picture.ts';
import { receptaclePicture } from './receptacle-pictures.ts';
import type { VisibleReceptacle } from './visible-state.ts';

const tags = ['white', 'yellow', 'cyan', 'pink', 'lime', 'orange', 'lilac', 'silver'] as const;

/** The tag colour of the receptacle at that position in the list. */
export function tagColour(position: number): Colour {
  return palette[tags[position % tags.length]!];
}

/** Draws every receptacle faced. */
export function drawReceptacles(canvas: Canvas, facing: readonly VisibleReceptacle[], at: Placement): void {
  const cell = 218 / Math.max(2, facing.length);
  const start = 112 - (cell * facing.length) / 2;
  facing.forEach((receptacle, position) => {
    const origin = { x: at.x + (start + position * cell) * at.scale, y: at.y, scale: at.scale };
    drawReceptacle(canvas, receptacle, { ...origin, tag: tagColour(position), cell });
  });
}

type Cell = Placement & { readonly tag: Colour; readonly cell: number };

function drawReceptacle(
  canvas: Canvas,
  receptacle: VisibleReceptacle,
  { x, y, scale, tag, cell }: Cell,
): void {
  const size = Math.min(1.42, (cell - 4) / 64);
  const left = x + ((cell - 64 * size) / 2) * scale;
  const state = receptacle.openable ? (receptacle.open ? 'open' : 'closed') : 'fixed';
  const top = y + (84 - 56 * size) * scale;
  drawPicture(canvas, receptaclePicture(receptacle.class, state), { x: left, y: top, scale: size * scale });
  if (state !== 'fixed')
    fillRect(
      canvas,
      [left, y + 85 * scale, 64 * size * scale, 5 * scale],
      state === 'open' ? palette.green : palette.red,
    );
  const dot = Math.max(1, Math.floor(scale * (cell > 60 ? 2 : 1)));
  const text = instanceNumber(receptacle.name);
  const width = numberWidth(text, dot) + 4 * dot;
  const tagLeft = Math.round(x + cell * scale - width - scale);
  fillRect(canvas, [tagLeft, Math.round(y + 2 * scale), width, 11 * dot], tag);
  drawNumber(canvas, text, {
    x: tagLeft + 2 * dot,
    y: Math.round(y + 2 * scale) + 2 * dot,
    dot,
    colour: palette.black,
  });
}
