/**
 * A square canvas that fills polygons with exact coverage at their edges. Each pixel's covered share is accumulated as
 * signed areas, edge by edge, and summed along the row.
 */
import type { Frame } from '@emac/core';

/** Red, green, blue, from 0 to 255. */
export type Colour = readonly [number, number, number];

export class Canvas {
  readonly size: number;
  readonly pixels: Uint8Array;
  /** of the polygon's box, one column more than pixels; all 0 between polygons */
  readonly #areas: Float64Array;

  constructor(size: number) {
    this.size = size;
    this.pixels = new Uint8Array(size * size * 3);
    this.#areas = new Float64Array((size + 2) * size);
  }

  frame(): Frame {
    const { size, pixels } = this;
    return { width: size, height: size, data: pixels.slice() };
  }

  /** Fills a polygon of at least three points x, y, x, y …, in pixels; `alpha` is its opacity. */
  fill(points: ArrayLike<number>, colour: Colour, alpha = 1): void {
    const box = this.#boxOf(points);
    if (box === null) return;
    const count = points.length;
    let [x, y] = [points[count - 2]! - box.left, points[count - 1]! - box.top];
    for (let at = 0; at < count; at += 2) {
      const [nextX, nextY] = [points[at]! - box.left, points[at + 1]! - box.top];
      if (y < nextY) this.#edge([x, y, nextX, nextY], box, 1);
      else if (y > nextY) this.#edge([nextX, nextY, x, y], box, -1);
      [x, y] = [nextX, nextY];
    }
    this.#blend(box, colour, alpha);
  }

  #boxOf(points: ArrayLike<number>): Box | null {
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let at = 0; at < points.length; at += 2) {
      const [x, y] = [points[at]!, points[at + 1]!];
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < top) top = y;
      if (y > bottom) bottom = y;
    }
    left = Math.max(0, Math.floor(left));
    top = Math.max(0, Math.floor(top));
    const width = Math.min(this.size, Math.ceil(right)) - left;
    const height = Math.min(this.size, Math.ceil(bottom)) - top;
    return width > 0 && height > 0 ? { left, top, width, height } : null;
  }

  /** Adds the area to the right of a falling edge. */
  #edge([x0, y0, x1, y1]: readonly [number, number, number, number], box: Box, sign: 1 | -1): void {
    const { width, height } = box;
    const slope = (x1 - x0) / (y1 - y0);
    const first = y0 < 0 ? 0 : Math.floor(y0);
    const last = y1 < height ? Math.ceil(y1) : height;
    for (let row = first; row < last; row++) {
      const from = y0 > row ? y0 : row;
      const to = y1 < row + 1 ? y1 : row + 1;
      const start = within(x0 + (from - y0) * slope, width);
      const end = within(x0 + (to - y0) * slope, width);
      this.#span(row * (width + 2), start < end ? [start, end] : [end, start], (to - from) * sign);
    }
  }

  /** Adds the edge within one row, left to right; `cover` is its share of the row's height. */
  #span(base: number, [left, right]: readonly [number, number], cover: number): void {
    const areas = this.#areas;
    const [first, last] = [Math.floor(left), Math.ceil(right)];
    if (last <= first + 1) {
      const share = (left + right) / 2 - first;
      areas[base + first]! += cover * (1 - share);
      areas[base + first + 1]! += cover * share;
      return;
    }
    const each = cover / (right - left);
    let before = 0;
    for (let column = first; column < last; column++) {
      const [from, to] = [Math.max(column, left), Math.min(column + 1, right)];
      const full = each * (to - from);
      const here = before + full * (column + 1 - (from + to) / 2);
      areas[base + column]! += here;
      before = full - full * (column + 1 - (from + to) / 2);
    }
    areas[base + last]! += before;
  }

  #blend({ left, top, width, height }: Box, [red, green, blue]: Colour, alpha: number): void {
    const { size, pixels } = this;
    const areas = this.#areas;
    for (let row = 0; row < height; row++) {
      let area = 0;
      let from = row * (width + 2);
      let to = ((top + row) * size + left) * 3;
      for (let column = 0; column < width; column++, from++, to += 3) {
        area += areas[from]!;
        areas[from] = 0;
        const covered = area < 0 ? -area : area;
        if (covered < 0.004) continue;
        const share = (covered > 1 ? 1 : covered) * alpha;
        const rest = 1 - share;
        pixels[to] = red * share + pixels[to]! * rest + 0.5;
        pixels[to + 1] = green * share + pixels[to + 1]! * rest + 0.5;
        pixels[to + 2] = blue * share + pixels[to + 2]! * rest + 0.5;
      }
      areas[from] = 0;
      areas[from + 1] = 0;
    }
  }
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

function within(value: number, limit: number): number {
  return value < 0 ? 0 : value > limit ? limit : value;
}
