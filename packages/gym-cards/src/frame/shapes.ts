/** Letters and card suits as small bitmaps, scaled by a whole number. */
import type { Frame } from '@emac/core';
import font from 'oled-font-5x7';
import { fill, type Colour, type Rectangle } from './canvas.ts';

export interface Bitmap {
  readonly width: number;
  readonly height: number;
  /** places of the pixels that are set */
  readonly dots: readonly (readonly [x: number, y: number])[];
}

/** A shape's placement: its upper left corner, and `scale` pixels per bitmap pixel. */
export interface Drawing extends Pick<Rectangle, 'x' | 'y'> {
  readonly scale: number;
  readonly colour: Colour;
}

/** Draws a line of text in letters of 5 × 7 with one column between them. */
export function drawText(frame: Frame, text: string, { x, y, scale, colour }: Drawing): void {
  [...text].forEach((letter, place) => {
    drawBitmap(frame, letterShape(letter), { x: x + place * letterStep * scale, y, scale, colour });
  });
}

const letterStep = font.width + 1;

/** Pixels from the first letter to the end of the last. */
export function textWidth(text: string, scale: number): number {
  return (text.length * letterStep - 1) * scale;
}

export function drawBitmap(frame: Frame, { dots }: Bitmap, { x, y, scale, colour }: Drawing): void {
  for (const [column, row] of dots)
    fill(frame, { x: x + column * scale, y: y + row * scale, width: scale, height: scale }, colour);
}

/** Clubs, diamonds, hearts and spades by their letters, 9 × 9. */
export const suitShapes: Readonly<Record<string, Bitmap>> = {
  C: bitmapOf(`
    ...###...
    ..#####..
    ..#####..
    .#.###.#.
    #########
    #########
    .##.#.##.
    ....#....
    ..#####..`),
  D: bitmapOf(`
    ....#....
    ...###...
    ..#####..
    .#######.
    #########
    .#######.
    ..#####..
    ...###...
    ....#....`),
  H: bitmapOf(`
    .##...##.
    ####.####
    #########
    #########
    .#######.
    .#######.
    ..#####..
    ...###...
    ....#....`),
  S: bitmapOf(`
    ....#....
    ...###...
    ..#####..
    .#######.
    #########
    #########
    .##.#.##.
    ....#....
    ..#####..`),
};

function bitmapOf(picture: string): Bitmap {
  const rows = picture
    .trim()
    .split('\n')
    .map((row) => row.trim());
  const dots = rows.flatMap((row, y) =>
    [...row].flatMap((mark, x) => (mark === '#' ? [[x, y] as const] : [])),
  );
  return { width: rows[0]!.length, height: rows.length, dots };
}

const letters = new Map<string, Bitmap>();

/** The blank for a letter that the font has not. */
function letterShape(letter: string): Bitmap {
  const known = letters.get(letter);
  if (known) return known;
  const first = Math.max(0, font.lookup.indexOf(letter)) * font.width;
  const dots = font.fontData
    .slice(first, first + font.width)
    .flatMap((column, x) =>
      Array.from({ length: font.height }, (_, y) => [x, y] as const).filter(([, y]) => (column >> y) & 1),
    );
  const shape = { width: font.width, height: font.height, dots };
  letters.set(letter, shape);
  return shape;
}
