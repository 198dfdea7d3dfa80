/**
 * Draws a frame of the visible state: receptacles above, their contents as cards below, the hand in the lower right
 * corner. Everything is laid out for 224 × 224 and scaled; equal states give equal bytes. The pictures are symbols, not
 * photographs: they show exactly the text world's facts.
 */
import { EmacError } from '@emac/core';
import type { Frame } from '@emac/core';
import { fillRect, newCanvas } from './canvas.ts';
import type { Canvas } from './canvas.ts';
import { cardSlots, handCorner } from './card-slots.ts';
import { drawReceptacles, tagColour } from './faced-receptacles.ts';
import { drawCard } from './object-card.ts';
import { palette } from './palette.ts';
import { drawPicture, readPicture } from './picture.ts';
import type { Placement } from './picture.ts';
import { drawBackdrop, drawRoomView } from './room-backdrop.ts';
import type { VisibleObject, VisibleState } from './visible-state.ts';

export interface FrameSize {
  /** pixels, at least 56 */
  readonly width?: number;
  /** pixels, at least 56 */
  readonly height?: number;
}

const hand = readPicture(
  'oval 14 22 10 11 skin; line 12 18 6 5 4.5 skin; line 15 16 13 2 4.5 skin; line 18 17 20 3 4.5 skin; ' +
    'line 21 20 27 9 4.5 skin; line 7 22 1 16 4.5 skin; box 7 30 14 8 blue',
);

/** A picture of the visible state as RGB bytes, 224 × 224 pixels unless told otherwise; too small is a usage error. */
export function renderFrame(visible: VisibleState, { width = 224, height = 224 }: FrameSize = {}): Frame {
  if (!(Number.isInteger(width) && Number.isInteger(height) && Math.min(width, height) >= 56))
    throw new EmacError('usage', `renderFrame: sides are whole numbers from 56, got ${width} × ${height}`);
  const canvas = newCanvas(width, height);
  const scale = Math.min(width, height) / 224;
  const origin = { x: (width - 224 * scale) / 2, y: (height - 224 * scale) / 2, scale };
  if (visible.facing.length === 0) drawRoomView(canvas, visible.room, origin);
  else drawScene(canvas, visible, origin);
  drawHand(canvas, visible.held, origin);
  return { width, height, data: canvas.data };
}

function drawScene(canvas: Canvas, { facing, room }: VisibleState, origin: Placement): void {
  drawBackdrop(canvas, room, { ...origin, horizon: 84 });
  drawReceptacles(canvas, facing, origin);
  const cards = facing.flatMap(({ contents }, position) => contents.map((object) => ({ object, position })));
  cardSlots(cards.length).forEach((slot, index) => {
    const { object, position } = cards[index]!;
    drawCard(canvas, object, { ...placed(origin, slot), tag: tagColour(position), unit: origin.scale });
  });
}

function drawHand(canvas: Canvas, held: VisibleObject | null, origin: Placement): void {
  if (held === null) return;
  const panel = placed(origin, { x: handCorner.left, y: handCorner.top, scale: 1 });
  fillRect(canvas, [panel.x, panel.y, 74 * origin.scale, 43 * origin.scale], palette.ink);
  drawPicture(canvas, hand, placed(origin, { x: 154, y: 185, scale: 1 }));
  drawCard(canvas, held, {
    ...placed(origin, { x: 187, y: 182, scale: 1 }),
    tag: palette.skin,
    unit: origin.scale,
  });
}

function placed(origin: Placement, at: Placement): Placement {
  return {
    x: origin.x + at.x * origin.scale,
    y: origin.y + at.y * origin.scale,
    scale: at.scale * origin.scale,
  };
}
