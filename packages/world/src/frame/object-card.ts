/**
 * One object as a card: a pale tint of its class, its picture with state marks, and below it a tag with its instance
 * number. The tag's colour marks the faced receptacle that holds the object.
 */
import { fillRect } from './canvas.ts';
import type { Canvas } from './canvas.ts';
import { drawNumber, numberWidth } from './digits.ts';
import { objectPictures, unknownObject } from './object-pictures.ts';
import { hueColour, palette } from './palette.ts';
import type { Colour } from './palette.ts';
import { drawPicture } from './picture.ts';
import type { Placement } from './picture.ts';
import { drawBackMarks, drawFrontMarks } from './state-marks.ts';
import type { VisibleObject } from './visible-state.ts';

/** Height of the tag below a card in units; it does not shrink with the card, so that digits stay whole. */
export const tagHeight = 9;

const order = new Map([...objectPictures.keys()].map((name, index) => [name, index]));

/** A pale colour per class; the golden angle keeps neighbours in the list apart. */
function tint(name: string): Colour {
  const index =
    order.get(name) ?? [...name].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) % 9973, 7);
  return hueColour((index * 137.508) % 360, 0.75, 0.86 - 0.07 * (index % 3));
}

/** The instance number of a display name: 'apple 12' → '12', '' without one. */
export function instanceNumber(name: string): string {
  return /\d+\s*$/.exec(name)?.[0].trim() ?? '';
}

/** Draws the card with its top left corner at the placement; `unit` is the frame's own scale. */
export function drawCard(
  canvas: Canvas,
  object: VisibleObject,
  at: Placement & { readonly tag: Colour; readonly unit: number },
): void {
  const { x, y, scale, tag, unit } = at;
  fillRect(canvas, [x, y, 32 * scale, 32 * scale], tint(object.class));
  drawBackMarks(canvas, object, at);
  const inset = { x: x + 2 * scale, y: y + 2 * scale, scale: (scale * 28) / 32 };
  drawPicture(canvas, objectPictures.get(object.class) ?? unknownObject, inset);
  drawFrontMarks(canvas, object, at);
  fillRect(canvas, [x, y + 32 * scale, 32 * scale, tagHeight * unit], tag);
  const text = instanceNumber(object.name);
  const dot = Math.max(1, Math.floor(unit));
  const left = Math.round(x + 16 * scale - numberWidth(text, dot) / 2);
  drawNumber(canvas, text, { x: left, y: Math.round(y + 32 * scale + unit), dot, colour: palette.black });
}
