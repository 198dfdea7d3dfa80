/**
 * Pictures as text: shapes separated by ';' in a grid of 32 units (objects) or 64 × 56 units (receptacles).
 *   box x y w h COLOUR · oval cx cy rx ry COLOUR · line x0 y0 x1 y1 WIDTH COLOUR · poly x0 y0 x1 y1 … COLOUR
 * A picture is read once into polygons and drawn at any place and scale.
 */
import { EmacError } from '@emac/core';
import { fillPolygon, linePoints, ovalPoints } from './canvas.ts';
import type { Canvas, Points } from './canvas.ts';
import { isColourName, palette } from './palette.ts';
import type { Colour } from './palette.ts';

interface Shape {
  readonly points: Points;
  readonly colour: Colour;
}

export type Picture = readonly Shape[];

/** Where a picture goes: its top left corner in pixels and pixels per unit. */
export interface Placement {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

/** Reads a picture; a misspelt shape is an internal error. */
export function readPicture(text: string): Picture {
  return text.split(';').map((entry) => readShape(entry.trim()));
}

function readShape(text: string): Shape {
  const words = text.split(/\s+/);
  const colour = words.at(-1)!;
  const numbers = words.slice(1, -1).map(Number);
  if (!isColourName(colour) || numbers.some(Number.isNaN))
    throw new EmacError(
      'internal',
      `readPicture: '${text}' is not a shape; use a shape, numbers and a palette colour`,
    );
  return { points: pointsOf(words[0]!, numbers), colour: palette[colour] };
}

function pointsOf(shape: string, numbers: readonly number[]): Points {
  const [a = 0, b = 0, c = 0, d = 0, e = 1] = numbers;
  switch (shape) {
    case 'box':
      return [a, b, a + c, b, a + c, b + d, a, b + d];
    case 'oval':
      return ovalPoints([a, b, c, d]);
    case 'line':
      return linePoints([a, b, c, d], e);
    case 'poly':
      return numbers;
    default:
      throw new EmacError(
        'internal',
        `readPicture: there is no shape '${shape}'; use box, oval, line or poly`,
      );
  }
}

/** Draws a picture. */
export function drawPicture(canvas: Canvas, picture: Picture, { x, y, scale }: Placement): void {
  for (const { points, colour } of picture)
    fillPolygon(
      canvas,
      points.map((value, index) => value * scale + (index % 2 === 0 ? x : y)),
      colour,
    );
}
