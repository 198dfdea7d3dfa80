/** Digits of 5 × 7 dots, for instance numbers. Each row is five bits, the leftmost dot highest. */
import { fillRect } from './canvas.ts';
import type { Canvas } from './canvas.ts';
import type { Colour } from './palette.ts';

const rows: readonly (readonly number[])[] = [
  [14, 17, 19, 21, 25, 17, 14],
  [4, 12, 4, 4, 4, 4, 14],
  [14, 17, 1, 6, 8, 16, 31],
  [30, 1, 1, 14, 1, 1, 30],
  [2, 6, 10, 18, 31, 2, 2],
  [31, 16, 30, 1, 1, 17, 14],
  [6, 8, 16, 30, 17, 17, 14],
  [31, 1, 2, 4, 8, 8, 8],
  [14, 17, 17, 14, 17, 17, 14],
  [14, 17, 17, 15, 1, 2, 12],
];

export interface DigitStyle {
  /** of the top left corner */
  readonly x: number;
  readonly y: number;
  /** pixels per dot */
  readonly dot: number;
  readonly colour: Colour;
}

/** The width in pixels that a number takes. */
export function numberWidth(text: string, dot: number): number {
  return (text.length * 6 - 1) * dot;
}

/** Draws the digits of a number; other characters leave a gap. */
export function drawNumber(canvas: Canvas, text: string, { x, y, dot, colour }: DigitStyle): void {
  [...text].forEach((digit, index) =>
    rows[Number(digit)]?.forEach((bits, row) => {
      for (let column = 0; column < 5; column++)
        if (bits & (16 >> column))
          fillRect(canvas, [x + (index * 6 + column) * dot, y + row * dot, dot, dot], colour);
    }),
  );
}
