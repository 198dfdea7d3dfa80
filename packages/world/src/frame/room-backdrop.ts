/**
 * Walls and floors: each room kind has its own colours, and the middle of the room has its own picture, with the most
 * noticeable furniture.
 */
import { fillRect } from './canvas.ts';
import type { Canvas } from './canvas.ts';
import { colourOf, palette } from './palette.ts';
import type { Colour } from './palette.ts';
import { drawPicture } from './picture.ts';
import type { Placement } from './picture.ts';
import { receptaclePicture } from './receptacle-pictures.ts';
import type { RoomKind } from './visible-state.ts';

interface Backdrop {
  readonly wall: Colour;
  readonly pattern: Colour;
  readonly floor: Colour;
  readonly joint: Colour;
  /** receptacle classes shown in the middle of the room: left to right, back row then front row */
  readonly furniture: readonly string[];
}

const backdrops: Readonly<Record<RoomKind | 'unknown', Backdrop>> = {
  kitchen: {
    wall: colourOf('f3e6c4'),
    pattern: colourOf('e7d5a6'),
    floor: colourOf('c9b48c'),
    joint: colourOf('b7a078'),
    furniture: ['fridge', 'cabinet', 'stoveburner', 'countertop', 'diningtable', 'sinkbasin'],
  },
  livingroom: {
    wall: colourOf('cfdcc2'),
    pattern: colourOf('bfcfb0'),
    floor: colourOf('a9744f'),
    joint: colourOf('946342'),
    furniture: ['tvstand', 'shelf', 'sidetable', 'sofa', 'coffeetable', 'armchair'],
  },
  bedroom: {
    wall: colourOf('d3cde8'),
    pattern: colourOf('c3bbde'),
    floor: colourOf('b08a9c'),
    joint: colourOf('9d7789'),
    furniture: ['shelf', 'desk', 'dresser', 'bed', 'bed', 'sidetable'],
  },
  bathroom: {
    wall: colourOf('c5e3ea'),
    pattern: colourOf('aed3dd'),
    floor: colourOf('8fa8b3'),
    joint: colourOf('7c95a1'),
    furniture: ['towelholder', 'cabinet', 'toiletpaperhanger', 'bathtubbasin', 'sinkbasin', 'toilet'],
  },
  unknown: {
    wall: colourOf('d5d7da'),
    pattern: colourOf('c7cacf'),
    floor: colourOf('9b9fa6'),
    joint: colourOf('8a8e96'),
    furniture: ['shelf', 'cabinet', 'shelf', 'drawer', 'desk', 'garbagecan'],
  },
};

const tiled = new Set<RoomKind | 'unknown'>(['kitchen', 'bathroom']);

/** Fills the frame with wall down to `horizon` (units from the top) and floor below it. */
export function drawBackdrop(
  canvas: Canvas,
  room: RoomKind | null,
  at: Placement & { readonly horizon: number },
): void {
  const { wall, pattern, floor, joint } = backdrops[room ?? 'unknown'];
  const { x, y, scale } = at;
  const horizon = y + at.horizon * scale;
  fillRect(canvas, [0, 0, canvas.width, horizon], wall);
  for (let step = 14; step < 224; step += 28)
    fillRect(canvas, [x + step * scale, 0, (tiled.has(room ?? 'unknown') ? 2 : 8) * scale, horizon], pattern);
  if (tiled.has(room ?? 'unknown'))
    for (let step = 14; step < at.horizon; step += 28)
      fillRect(canvas, [0, y + step * scale, canvas.width, 2 * scale], pattern);
  fillRect(canvas, [0, horizon, canvas.width, canvas.height - horizon], floor);
  for (let step = at.horizon + 14; step < 224; step += 14)
    fillRect(canvas, [0, y + step * scale, canvas.width, scale], joint);
  fillRect(canvas, [0, horizon - 2 * scale, canvas.width, 3 * scale], palette.cream);
}

/** The view from the middle of the room. */
export function drawRoomView(canvas: Canvas, room: RoomKind | null, at: Placement): void {
  drawBackdrop(canvas, room, { ...at, horizon: 118 });
  const { x, y, scale } = at;
  backdrops[room ?? 'unknown'].furniture.forEach((name, index) => {
    const front = index >= 3;
    const column = index % 3;
    const size = front ? 1.05 : 0.9;
    const left = front ? 3 + column * 74 : 8 + column * 74;
    const place = {
      x: x + left * scale,
      y: y + (front ? 132 : 118 - 52 * size) * scale,
      scale: size * scale,
    };
    drawPicture(canvas, receptaclePicture(name, 'closed'), place);
  });
}
