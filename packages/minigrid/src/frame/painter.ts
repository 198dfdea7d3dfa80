/**
 * Frames of a whole grid, assembled from tiles. A tile is drawn once for all painters of its size and palette; a
 * painter keeps its last frame and redraws changed tiles.
 */
import type { Frame } from '@emac/core';
import { viewCells, type ViewOffsets } from '../view.ts';
import type { World } from '../world.ts';
import { drawTile, type Palette } from './tile.ts';

export interface Canvas {
  /** cells */
  readonly width: number;
  readonly height: number;
  /** pixels of a tile's side */
  readonly tileSize: number;
  readonly palette: Palette;
}

/** The rows of a tile's pixels. */
type TileRows = readonly Uint8Array[];

const drawn = new Map<string, Map<number, TileRows>>();

export class Painter {
  readonly #canvas: Canvas;
  readonly #pixels: Uint8Array;
  /** content of each cell in the last frame */
  readonly #shown: Int32Array;
  readonly #tiles: Map<number, TileRows>;
  /** 1 at the places of cells that are lit; zeros between frames */
  #lit = new Uint8Array();

  constructor(canvas: Canvas) {
    const { width, height, tileSize, palette } = canvas;
    this.#canvas = canvas;
    this.#pixels = new Uint8Array(width * height * tileSize * tileSize * 3);
    this.#shown = new Int32Array(width * height).fill(-1);
    const set = `${tileSize} ${palette}`;
    this.#tiles = drawn.get(set) ?? new Map();
    drawn.set(set, this.#tiles);
  }

  /** The grid with the agent; if `seen` [49] is given, visible cells are lit. */
  draw(world: World, offsets: ViewOffsets, seen: Uint8Array | null): Frame {
    const { grid } = world;
    const { width, height, tileSize } = this.#canvas;
    if (this.#lit.length !== grid.cells.length) this.#lit = new Uint8Array(grid.cells.length);
    this.#light(world, offsets, { seen, value: 1 });
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const place = grid.placeOf(x, y);
        const agent = x === world.x && y === world.y ? world.direction + 1 : 0;
        this.#show(y * width + x, grid.cells[place]! | (agent << 10) | (this.#lit[place]! << 13));
      }
    this.#light(world, offsets, { seen, value: 0 });
    return { width: width * tileSize, height: height * tileSize, data: this.#pixels.slice() };
  }

  #light(
    world: World,
    offsets: ViewOffsets,
    { seen, value }: { seen: Uint8Array | null; value: number },
  ): void {
    if (seen === null) return;
    const base = world.grid.placeOf(world.x, world.y);
    const around = offsets[world.direction]!;
    for (let index = 0; index < viewCells; index++) if (seen[index]) this.#lit[base + around[index]!] = value;
  }

  /** `tile` packs the cell, the agent's direction plus 1 (0: not here) and the light. */
  #show(position: number, tile: number): void {
    if (this.#shown[position] === tile) return;
    this.#shown[position] = tile;
    const { width, tileSize } = this.#canvas;
    const stride = width * tileSize * 3;
    let start = Math.floor(position / width) * tileSize * stride + (position % width) * tileSize * 3;
    for (const row of this.#rowsOf(tile)) {
      this.#pixels.set(row, start);
      start += stride;
    }
  }

  #rowsOf(tile: number): TileRows {
    const known = this.#tiles.get(tile);
    if (known) return known;
    const { tileSize, palette } = this.#canvas;
    const agent = (tile >> 10) & 7;
    const parts = { cell: tile & 1023, agent: agent === 0 ? null : agent - 1, isLit: tile >> 13 === 1 };
    const pixels = drawTile(parts, tileSize, palette);
    const rows = Array.from({ length: tileSize }, (_, row) =>
      pixels.subarray(row * tileSize * 3, (row + 1) * tileSize * 3),
    );
    this.#tiles.set(tile, rows);
    return rows;
  }
}
