/**
 * A small RGB canvas: solid rectangles and anti-aliased polygons. The cover of a pixel is the exact area of the
 * polygon in it, summed from the edges from left to right (as font rasterizers do), so outlines must not cross
 * themselves. Ovals and lines are polygons. Plain double arithmetic in a fixed order: equal drawings give equal
 * bytes.
 */
import type { Colour } from './palette.ts';

export interface Canvas {
  readonly width: number;
  readonly height: number;
  /** height × width × 3 bytes */
  readonly data: Uint8Array;
  /** working space for the cover of one polygon */
  cover: Float64Array;
}

/** Corner points as x0, y0, x1, y1, … in pixels. */
export type Points = readonly number[];

/** A black canvas. */
export function newCanvas(width: number, height: number): Canvas {
  return { width, height, data: new Uint8Array(width * height * 3), cover: new Float64Array(64 * 64) };
}

/** Fills whole pixels; parts outside the canvas are cut off. */
export function fillRect(
  canvas: Canvas,
  [x, y, w, h]: readonly [number, number, number, number],
  colour: Colour,
): void {
  const left = Math.max(0, Math.round(x));
  const right = Math.min(canvas.width, Math.round(x + w));
  const bottom = Math.min(canvas.height, Math.round(y + h));
  for (let row = Math.max(0, Math.round(y)); row < bottom; row++)
    for (
      let at = (row * canvas.width + left) * 3, end = (row * canvas.width + right) * 3;
      at < end;
      at += 3
    ) {
      canvas.data[at] = colour[0];
      canvas.data[at + 1] = colour[1];
      canvas.data[at + 2] = colour[2];
    }
}

/** Fills a polygon that does not cross itself, given by transformed points. */
export function fillPolygon(canvas: Canvas, points: Points, colour: Colour): void {
  const box = pixelBox(canvas, points);
  if (box.right <= box.left || box.bottom <= box.top) return;
  const stride = box.right - box.left + 2;
  const size = stride * (box.bottom - box.top);
  const cover = canvas.cover.length >= size ? canvas.cover : (canvas.cover = new Float64Array(size * 2));
  cover.fill(0, 0, size);
  let x0 = points[points.length - 2]!;
  let y0 = points[points.length - 1]!;
  for (let i = 0; i < points.length; i += 2) {
    const x1 = points[i]!;
    const y1 = points[i + 1]!;
    if (y0 < y1) addEdge(cover, box, [x0, y0, x1, y1], 1);
    else if (y0 > y1) addEdge(cover, box, [x1, y1, x0, y0], -1);
    x0 = x1;
    y0 = y1;
  }
  blend(canvas, box, colour);
}

interface PixelBox {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

function pixelBox({ width, height }: Canvas, points: Points): PixelBox {
  let [top, bottom, left, right] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < points.length; i += 2) {
    left = Math.min(left, points[i]!);
    right = Math.max(right, points[i]!);
    top = Math.min(top, points[i + 1]!);
    bottom = Math.max(bottom, points[i + 1]!);
  }
  return {
    left: Math.max(0, Math.floor(left)),
    right: Math.min(width, Math.ceil(right)),
    top: Math.max(0, Math.floor(top)),
    bottom: Math.min(height, Math.ceil(bottom)),
  };
}

type Edge = readonly [number, number, number, number];

/** Adds an edge's differences; summing from the left gives each pixel's cover. */
// eslint-disable-next-line max-params -- called for every edge: no object each time
function addEdge(cover: Float64Array, box: PixelBox, [x0, y0, x1, y1]: Edge, direction: number): void {
  const slope = (x1 - x0) / (y1 - y0);
  const stride = box.right - box.left + 2;
  const end = Math.min(box.bottom, Math.ceil(y1));
  for (let row = Math.max(box.top, Math.floor(y0)); row < end; row++) {
    const from = Math.max(row, y0);
    const to = Math.min(row + 1, y1);
    const a = inside(x0 + (from - y0) * slope, box);
    const b = inside(x0 + (to - y0) * slope, box);
    addSpan(cover, (row - box.top) * stride, [Math.min(a, b), Math.max(a, b)], (to - from) * direction);
  }
}

const inside = (x: number, { left, right }: PixelBox): number => Math.max(0, Math.min(right, x) - left);

/** Spreads an edge piece between two columns of one row over the pixels it crosses. */
// eslint-disable-next-line max-params -- called for every row of an edge: no object each time
function addSpan(cover: Float64Array, row: number, [a, b]: readonly [number, number], height: number): void {
  const first = Math.floor(a);
  const last = Math.max(first + 1, Math.ceil(b));
  if (last === first + 1) {
    const right = (a + b) / 2 - first;
    cover[row + first] = cover[row + first]! + height * (1 - right);
    cover[row + last] = cover[row + last]! + height * right;
    return;
  }
  let before = 0;
  for (let column = first; column < last; column++) {
    const filled = height * areaRightOf(a, b, column + 1);
    cover[row + column] = cover[row + column]! + filled - before;
    before = filled;
  }
  cover[row + last] = cover[row + last]! + height - before;
}

/** How much of pixel `edge − 1`, on average over the row piece, lies right of a stroke from a to b. */
function areaRightOf(a: number, b: number, edge: number): number {
  const reach = (x: number): number => (x <= a ? 0 : x >= b ? x - (a + b) / 2 : (x - a) ** 2 / (2 * (b - a)));
  return reach(edge) - reach(edge - 1);
}

function blend({ data, width, cover }: Canvas, box: PixelBox, [red, green, blue]: Colour): void {
  const stride = box.right - box.left + 2;
  for (let row = box.top; row < box.bottom; row++) {
    let sum = 0;
    let from = (row - box.top) * stride;
    for (let at = (row * width + box.left) * 3, end = (row * width + box.right) * 3; at < end; at += 3) {
      sum += cover[from++]!;
      const share = Math.min(1, Math.abs(sum));
      if (share < 0.002) continue;
      data[at] = Math.round(data[at]! + (red - data[at]!) * share);
      data[at + 1] = Math.round(data[at + 1]! + (green - data[at + 1]!) * share);
      data[at + 2] = Math.round(data[at + 2]! + (blue - data[at + 2]!) * share);
    }
  }
}

/** The corner points of an oval, given by its centre and its two radii. */
export function ovalPoints([cx, cy, rx, ry]: readonly [number, number, number, number]): number[] {
  const corners = 20;
  return Array.from({ length: corners }, (_, i) => (2 * Math.PI * i) / corners).flatMap((angle) => [
    cx + rx * Math.cos(angle),
    cy + ry * Math.sin(angle),
  ]);
}

/** The corner points of a straight stroke of that width. */
export function linePoints(
  [x0, y0, x1, y1]: readonly [number, number, number, number],
  width: number,
): number[] {
  const length = Math.hypot(x1 - x0, y1 - y0) || 1;
  const dx = ((x1 - x0) / length) * (width / 2);
  const dy = ((y1 - y0) / length) * (width / 2);
  return [x0 - dy, y0 + dx, x1 - dy, y1 + dx, x1 + dy, y1 - dx, x0 + dy, y0 - dx];
}
