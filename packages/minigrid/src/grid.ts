/**
 * A grid of cells, x to the right and y down from (0, 0). It has a margin of walls as wide as the view, so views need
 * no bounds check. A cell's index counts the margin.
 */
import { empty, wall, type Cell } from './cell.ts';

export const viewSize = 7;
const margin = viewSize - 1;

export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export class Grid {
  readonly width: number;
  readonly height: number;
  /** places from one row to the next */
  readonly stride: number;
  readonly cells: Uint16Array;

  /** Empty cells. */
  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.stride = width + 2 * margin;
    this.cells = new Uint16Array(this.stride * (height + 2 * margin)).fill(wall);
    for (let y = 0; y < height; y++) this.horizontal({ x: 0, y, length: width }, empty);
  }

  placeOf(x: number, y: number): number {
    return (y + margin) * this.stride + x + margin;
  }

  pointOf(place: number): { x: number; y: number } {
    return { x: (place % this.stride) - margin, y: Math.floor(place / this.stride) - margin };
  }

  at(x: number, y: number): Cell {
    return this.cells[this.placeOf(x, y)]!;
  }

  set(x: number, y: number, cell: Cell): void {
    this.cells[this.placeOf(x, y)] = cell;
  }

  /** Cells from (x, y) to the right. */
  horizontal({ x, y, length }: Line, cell: Cell = wall): void {
    for (let i = 0; i < length; i++) this.set(x + i, y, cell);
  }

  /** Cells from (x, y) down. */
  vertical({ x, y, length }: Line, cell: Cell = wall): void {
    for (let i = 0; i < length; i++) this.set(x, y + i, cell);
  }

  /** Walls along the inner edge of a rectangle; around the whole grid by default. */
  surround(
    { x, y, width, height }: Rectangle = { x: 0, y: 0, width: this.width, height: this.height },
  ): void {
    this.horizontal({ x, y, length: width });
    this.horizontal({ x, y: y + height - 1, length: width });
    this.vertical({ x, y, length: height });
    this.vertical({ x: x + width - 1, y, length: height });
  }

  /** The cells row by row, without the margin. */
  rows(): Cell[] {
    const { width, height } = this;
    return Array.from({ length: width * height }, (_, n) => this.at(n % width, Math.floor(n / width)));
  }

  /** Takes cells as `rows` gave them. */
  fill(rows: readonly Cell[]): void {
    rows.forEach((cell, n) => this.set(n % this.width, Math.floor(n / this.width), cell));
  }
}

interface Line {
  readonly x: number;
  readonly y: number;
  readonly length: number;
}
