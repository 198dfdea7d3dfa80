/** Pictures in a row, from left to right, and taken apart again to the same bytes. */
import type { Frame } from '@emac/core';

/** white pixels between two pictures */
const gap = 8;

/** Each as it is, at the top of a white picture. */
export function sideBySide(pictures: readonly Frame[]): Frame {
  const width = pictures.reduce((sum, each) => sum + each.width, gap * (pictures.length - 1));
  const height = Math.max(...pictures.map((each) => each.height));
  const data = new Uint8Array(3 * width * height).fill(255);
  for (const [place, picture] of pictures.entries())
    for (let y = 0; y < picture.height; y++)
      data.set(rowOf(picture, y), 3 * (y * width + leftOf(pictures, place)));
  return { width, height, data };
}

/** The pictures of a row, whose sizes are those of `pictures`. */
export function apart(row: Frame, pictures: readonly Frame[]): Frame[] {
  return pictures.map(({ width, height }, place) => {
    const data = new Uint8Array(3 * width * height);
    for (let y = 0; y < height; y++) {
      const from = 3 * (y * row.width + leftOf(pictures, place));
      data.set(row.data.subarray(from, from + 3 * width), 3 * y * width);
    }
    return { width, height, data };
  });
}

function leftOf(pictures: readonly Frame[], place: number): number {
  return pictures.slice(0, place).reduce((sum, { width }) => sum + width + gap, 0);
}

function rowOf({ width, data }: Frame, y: number): Uint8Array {
  return data.subarray(3 * y * width, 3 * (y + 1) * width);
}
