/**
 * The dealer's first card and a back, below them the player's cards. As published the back stays to the end. A fifth
 * card lies beyond the right edge, and later ones begin a second row, cut off by the lower edge.
 */
import type { Frame } from '@emac/core';
import type { BlackjackState, PlayingCard } from '../blackjack-hand.ts';
import { copyOf, felt, paste, plainFrame, side, white } from './canvas.ts';
import { cardFrame } from './card.ts';
import { drawText } from './shapes.ts';

const size = { width: 70, height: 98 };
const gap = 4;
const table = emptyTable();

/** 300 × 300 pixels. */
export function frameOfBlackjack({ dealer, player }: BlackjackState): Frame {
  const frame = copyOf(table);
  paste(frame, cardFrame(nameOf(dealer[0]!), size), { x: 5, y: 25 });
  player.forEach((card, place) => {
    const x = 5 + (place > 4 ? place - 5 : place) * (size.width + gap);
    paste(frame, cardFrame(nameOf(card), size), { x, y: place > 4 ? 150 + size.height + gap : 150 });
  });
  return frame;
}

function nameOf([, face, suit]: PlayingCard): string {
  return `${suit}${face}`;
}

/** The background of every picture. */
function emptyTable(): Frame {
  const frame = plainFrame(side, side, felt);
  drawText(frame, 'Dealer', { x: 5, y: 5, scale: 2, colour: white });
  drawText(frame, 'Player', { x: 5, y: 130, scale: 2, colour: white });
  paste(frame, cardFrame(null, size), { x: 78, y: 25 });
  return frame;
}
