/**
 * One tile of a frame: the cell's content, the agent, and the light on visible cells; drawn three times as large and
 * averaged. A pixel of the large picture belongs to a shape if its centre does. Colours and their halves are truncated
 * to integers, as in the published package.
 */
import { colourOf, doorStates, kindOf, kinds, stateOf, type Cell } from '../cell.ts';
import { disc, line, rectangle, triangle, turned, type Shape } from './shapes.ts';

export type Palette = 'true' | 'legacy-wrapped';

export interface Tile {
  readonly cell: Cell;
  /** the agent's direction; null if it is not in this cell */
  readonly agent: number | null;
  readonly isLit: boolean;
}

type Paint = readonly [number, number, number];
type Layer = readonly [Shape, Paint];

const supersampling = 3;
const black: Paint = [0, 0, 0];
const gridLine: Paint = [100, 100, 100];
const red: Paint = [255, 0, 0];
const orange: Paint = [255, 128, 0];
/** In the order of the colours' indices. */
const paints: readonly Paint[] = [red, [0, 255, 0], [0, 0, 255], [112, 39, 195], [255, 255, 0], gridLine];

const whole = rectangle(0, 1, [0, 1]);
const square = (from: number, to: number) => rectangle(from, to, [from, to]);

const lines: readonly Layer[] = [
  [rectangle(0, 0.031, [0, 1]), gridLine],
  [rectangle(0, 1, [0, 0.031]), gridLine],
];
const agentShape = triangle([0.12, 0.19], [0.87, 0.5], [0.12, 0.81]);

/** RGB bytes of a tile, row by row, [size, size, 3]. */
export function drawTile(tile: Tile, size: number, palette: Palette): Uint8Array {
  const side = size * supersampling;
  const large = new Uint8Array(side * side * 3);
  const agent: Layer[] = tile.agent === null ? [] : [[turned(agentShape, tile.agent), red]];
  for (const layer of [...lines, ...layersOf(tile.cell), ...agent]) paint(large, side, layer);
  if (tile.isLit) large.forEach((value, place) => (large[place] = value + 0.3 * (255 - value)));
  const small = averaged(large, size);
  return palette === 'true' ? small : small.map((value) => 256 - value);
}

function layersOf(cell: Cell): readonly Layer[] {
  const colour = paints[colourOf(cell)]!;
  switch (kindOf(cell)) {
    case kinds.wall:
    case kinds.goal:
      return [[whole, colour]];
    case kinds.floor:
      return [[square(0.031, 1), scaled(colour, 0.5)]];
    case kinds.door:
      return doorLayers(colour, stateOf(cell));
    case kinds.key:
      return [
        [rectangle(0.5, 0.63, [0.31, 0.88]), colour],
        [rectangle(0.38, 0.5, [0.59, 0.66]), colour],
        [rectangle(0.38, 0.5, [0.81, 0.88]), colour],
        [disc(0.56, 0.28, 0.19), colour],
        [disc(0.56, 0.28, 0.064), black],
      ];
    case kinds.ball:
      return [[disc(0.5, 0.5, 0.31), colour]];
    case kinds.box:
      return [
        [square(0.12, 0.88), colour],
        [square(0.18, 0.82), black],
        [rectangle(0.16, 0.84, [0.47, 0.53]), colour],
      ];
    case kinds.lava:
      return [[whole, orange], ...[0, 1, 2].flatMap(wave)];
    default:
      return [];
  }
}

function doorLayers(colour: Paint, state: number): readonly Layer[] {
  switch (state) {
    case doorStates.open:
      return [
        [rectangle(0.88, 1, [0, 1]), colour],
        [rectangle(0.92, 0.96, [0.04, 0.96]), black],
      ];
    case doorStates.locked:
      return [
        [whole, colour],
        [square(0.06, 0.94), scaled(colour, 0.45)],
        [rectangle(0.52, 0.75, [0.5, 0.56]), colour],
      ];
    default:
      return [
        [whole, colour],
        [square(0.04, 0.96), black],
        [square(0.08, 0.92), colour],
        [square(0.12, 0.88), black],
        [disc(0.75, 0.5, 0.08), colour],
      ];
  }
}

/** One of three zigzags of lava. */
function wave(number: number): Layer[] {
  const [low, high] = [0.3 + 0.2 * number, 0.4 + 0.2 * number];
  const points = [
    [0.1, low],
    [0.3, high],
    [0.5, low],
    [0.7, high],
    [0.9, low],
  ] as const;
  return points.slice(1).map((point, place): Layer => [line(points[place]!, point, 0.03), black]);
}

function scaled(colour: Paint, factor: number): Paint {
  const [r, g, b] = colour;
  return [r * factor, g * factor, b * factor];
}

function paint(large: Uint8Array, side: number, [isInside, colour]: Layer): void {
  for (let row = 0; row < side; row++)
    for (let column = 0; column < side; column++)
      if (isInside((column + 0.5) / side, (row + 0.5) / side)) large.set(colour, (row * side + column) * 3);
}

/** Means along x, then of these along y, cut to whole numbers. */
function averaged(large: Uint8Array, size: number): Uint8Array {
  const stride = size * supersampling * 3;
  const across = (row: number, column: number, channel: number): number => {
    const start = row * stride + column * supersampling * 3 + channel;
    return (large[start]! + large[start + 3]! + large[start + 6]!) / 3;
  };
  return Uint8Array.from({ length: size * size * 3 }, (_, place) => {
    const [channel, column] = [place % 3, Math.floor(place / 3) % size];
    const row = Math.floor(place / (3 * size)) * supersampling;
    const sum = across(row, column, channel) + across(row + 1, column, channel);
    return (sum + across(row + 2, column, channel)) / 3;
  });
}
