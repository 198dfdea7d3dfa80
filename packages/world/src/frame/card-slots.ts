/**
 * Places of cards in the lower part of a frame of 224 × 224 units: a grid filled row by row in list order, six to a
 * row; the lower right corner is for the hand. With more objects than places the grid gets finer, so every object is
 * always visible.
 */
import { tagHeight } from './object-card.ts';
import type { Placement } from './picture.ts';

const area = { left: 4, top: 97, right: 222, bottom: 224 };

/** The hand's corner: nothing else is drawn there. */
export const handCorner = { left: 150, top: 181 };

/** The first `count` places, all of one scale. */
export function cardSlots(count: number): Placement[] {
  for (let columns = 6; ; columns++) {
    const slots = grid(columns);
    if (slots.length >= count) return slots.slice(0, count);
  }
}

function grid(columns: number): Placement[] {
  const pitch = (area.right - area.left) / columns;
  const scale = pitch / 36;
  const height = 32 * scale + tagHeight;
  const slots: Placement[] = [];
  for (let y = area.top; y + height <= area.bottom; y += height + scale)
    for (let column = 0; column < columns; column++) {
      const x = area.left + column * pitch + 2 * scale;
      const inHand = x + 32 * scale > handCorner.left && y + height > handCorner.top;
      if (!inHand) slots.push({ x, y, scale });
    }
  return slots;
}
