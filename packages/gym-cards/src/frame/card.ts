/**
 * Playing cards, drawn here: a white rounded rectangle with rank and suit, or the back. Each is drawn once per size.
 */
import type { Frame } from '@emac/core';
import { felt, fill, plainFrame, type Colour } from './canvas.ts';
import { drawBitmap, drawText, suitShapes } from './shapes.ts';

export interface CardSize {
  readonly width: number;
  readonly height: number;
}

const red: Colour = [200, 16, 46];
const ink: Colour = [20, 20, 20];
const paper: Colour = [255, 255, 255];
const edge: Colour = [120, 120, 120];
const back: Colour = [30, 60, 140];
const pattern: Colour = [150, 170, 220];

/** Suit and rank, e.g. `H7`; `CT` and `C10` are the ten of clubs; null for the back. */
export type CardName = string | null;

const drawn = new Map<string, Frame>();

/** The card, with the table visible at its corners; read-only. */
export function cardFrame(name: CardName, { width, height }: CardSize): Frame {
  const key = `${name} ${width} ${height}`;
  const known = drawn.get(key);
  if (known) return known;
  const frame = plainFrame(width, height, felt);
  drawRounded(frame, 0, edge);
  drawRounded(frame, 1, name === null ? back : paper);
  if (name === null) drawPattern(frame);
  else drawFace(frame, name);
  drawn.set(key, frame);
  return frame;
}

/** `margin` pixels inside the edge. */
function drawRounded(frame: Frame, margin: number, colour: Colour): void {
  const radius = Math.floor(frame.width / 12);
  for (let row = margin; row < frame.height - margin; row++) {
    const fromEdge = Math.min(row, frame.height - 1 - row) - margin;
    const rise = Math.max(0, radius - fromEdge - 0.5);
    const inset = margin + Math.round(radius - Math.sqrt(radius * radius - rise * rise));
    fill(frame, { x: inset, y: row, width: frame.width - 2 * inset, height: 1 }, colour);
  }
}

/** Rank above, suit below, as large as the card allows. */
function drawFace(frame: Frame, name: string): void {
  const [suit, rank] = [name[0]!, name.slice(1)];
  const colour = suit === 'H' || suit === 'D' ? red : ink;
  const scale = Math.floor(frame.width / 16);
  drawText(frame, rank === 'T' ? '10' : rank, { x: scale * 2, y: scale * 2, scale, colour });
  const shape = suitShapes[suit]!;
  drawBitmap(frame, shape, {
    x: frame.width - scale * (shape.width + 2),
    y: frame.height - scale * (shape.height + 2),
    scale,
    colour,
  });
}

function drawPattern(frame: Frame): void {
  const [margin, step] = [6, 8];
  for (let y = margin; y < frame.height - margin; y++)
    for (let x = margin; x < frame.width - margin; x++)
      if ((x + y) % step === 0 || (x - y + frame.height * step) % step === 0)
        fill(frame, { x, y, width: 1, height: 1 }, pattern);
}
