/** A row of cards on the table, and the formula below it; a formula too long for the picture is in smaller letters. */
import type { Frame } from '@emac/core';
import type { PointsState } from '../points-rules.ts';
import { copyOf, felt, paste, plainFrame, side, white } from './canvas.ts';
import { cardFrame } from './card.ts';
import { drawText, textWidth } from './shapes.ts';

/** 300 × 300 pixels. */
export function frameOfPoints({ cards, formula }: PointsState): Frame {
  const frame = tableWith(cards);
  const written = formula.join(' ');
  if (cards.length === 2) {
    drawLine(frame, `Formula: ${written}`, 258);
  } else {
    drawLine(frame, 'Formula:', 210);
    drawLine(frame, written, 240);
  }
  return frame;
}

const left = 10;

function drawLine(frame: Frame, text: string, y: number): void {
  const scale = left + textWidth(text, 2) > side ? 1 : 2;
  drawText(frame, text, { x: left, y, scale, colour: white });
}

const table = plainFrame(side, side, felt);

function tableWith(cards: readonly string[]): Frame {
  const frame = copyOf(table);
  const width = Math.floor((side / cards.length) * 0.9);
  const height = Math.floor((width * 7) / 5);
  const y = Math.floor((side - height) / 2);
  cards.forEach((card, place) => {
    paste(frame, cardFrame(card, { width, height }), { x: 5 + Math.floor(place * width * 1.1), y });
  });
  return frame;
}
