/** Black letters on white: the target above, the number below it. */
import type { Frame } from '@emac/core';
import { black, copyOf, plainFrame, side, white } from './canvas.ts';
import { drawText } from './shapes.ts';

const paper = plainFrame(side, side, white);

/** 300 × 300 pixels. */
export function frameOfNumberLine({
  target,
  current,
}: Readonly<Record<'target' | 'current', number>>): Frame {
  const frame = copyOf(paper);
  drawText(frame, `Target: ${target}`, { x: 30, y: 60, scale: 4, colour: black });
  drawText(frame, `Current: ${current}`, { x: 30, y: 180, scale: 4, colour: black });
  return frame;
}
