/**
 * Where the projection enters a network: it makes the visual tokens of a row's pictures, fed to networks as `visual`, and turns
 * ∂loss/∂visual into gradients of its parameters. Other trained parts (`policy-parameters.ts`) are fed directly.
 */
import { deepFeeds, tensorRows, visionOf, type ModelFiles, type Sight } from '@emac/backbone';
import { EmacError, type Features } from '@emac/core';
import type { Feeds, Value } from '@emac/graph';
import type { Projection } from '../projection/projection.ts';
import { remembered } from './remembered.ts';

/** Pictures have few kinds of them: marks of rows and columns, ends of lines. */
const rememberedRows = 512;

/** The pictures of each row; rows have equally many visual tokens. */
export type RowImages = readonly (readonly Features[])[];

export interface VisualTokens {
  /** numbers in the visual tokens of some pictures, V · D */
  sizeOf(images: readonly Features[]): number;
  /** float32 [n, V, D] of n rows, V visual tokens each */
  of(rows: RowImages): Value & { readonly data: Float32Array };
  /** their features for the language model's first layers, [n, V, layers · D]; empty for models without a deep stack */
  deep(rows: RowImages): Float32Array;
  /** both as inputs of networks */
  feeds(rows: RowImages): Feeds;
  /** gradients of the projection's parameters; `gradient` of the visual tokens of any number of pictures, [V, D] */
  backward(images: readonly Features[], gradient: Float32Array): Map<string, Float32Array>;
}

/** Errors: `data` if the projection, or later features, do not fit the model. */
export function visualTokens(files: ModelFiles, projection: Projection): VisualTokens {
  const { folder, config } = files;
  const connector = visionOf(files).connector(files);
  const { inputWidth, fixed } = connector;
  const width = config.llama.hiddenSize;
  checkWidths(projection, { folder, input: inputWidth, output: width });
  const fixedRow = remembered((row: number) => tensorRows(files, fixed!, [row])[0]!, {
    key: String,
    limit: rememberedRows,
  });
  const seen = (images: readonly Features[]): Seen => {
    const sights = images.map(({ data }) => connector.sight(data));
    const rows = joined(sights.map((sight) => sight.rows));
    return { rows, count: rows.length / inputWidth, order: rowOrder(sights, inputWidth) };
  };
  const lengthOf = ({ order, count }: Seen) => order?.length ?? count;
  const of: VisualTokens['of'] = (rows) => {
    const all = seen(rows.flat());
    const projected = all.count === 0 ? new Float32Array(0) : projection.forward(all.rows, all.count);
    return {
      type: 'float32',
      shape: [rows.length, lengthOf(all) / rows.length, width],
      data: all.order ? arranged(projected, all.order, { width, fixedRow }) : projected,
    };
  };
  const deep: VisualTokens['deep'] = (rows) =>
    joined(rows.flat().flatMap(({ data }) => connector.sight(data).deep ?? []));
  return {
    sizeOf: (images) => lengthOf(seen(images)) * width,
    of,
    deep,
    feeds: (rows) => {
      const visual = of(rows);
      const [count, length] = visual.shape as [number, number];
      return { visual, ...deepFeeds(config.llama, deep(rows), [count, length]) };
    },
    backward: (images, gradient) => {
      const { rows, count, order } = seen(images);
      if (count === 0) return zeros(projection);
      return projection.backward(rows, count, order ? gathered(gradient, order, { width, count }) : gradient);
    },
  };
}

function zeros({ parameters }: Projection): Map<string, Float32Array> {
  return new Map([...parameters].map(([name, { data }]) => [name, new Float32Array(data.length)]));
}

interface Seen {
  /** of all pictures, [count, W] */
  readonly rows: Float32Array;
  readonly count: number;
  /** for each visual token its row, −1 − k for a fixed row k; null: row by row */
  readonly order: readonly number[] | null;
}

function rowOrder(sights: readonly Sight[], inputWidth: number): readonly number[] | null {
  if (sights.every(({ order }) => order === undefined)) return null;
  let before = 0;
  return sights.flatMap(({ rows, order }) => {
    const count = rows.length / inputWidth;
    const own = order ?? Int32Array.from({ length: count }, (_, row) => row);
    const start = before;
    before += count;
    return Array.from(own, (row) => (row < 0 ? row : start + row));
  });
}

function joined(parts: readonly Float32Array[]): Float32Array {
  if (parts.length === 1) return parts[0]!;
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let start = 0;
  for (const part of parts) {
    all.set(part, start);
    start += part.length;
  }
  return all;
}

function arranged(
  rows: Float32Array,
  order: readonly number[],
  { width, fixedRow }: { readonly width: number; readonly fixedRow: (row: number) => Float32Array },
): Float32Array {
  const tokens = new Float32Array(order.length * width);
  order.forEach((row, token) => {
    const values = row < 0 ? fixedRow(-1 - row) : rows.subarray(row * width, (row + 1) * width);
    tokens.set(values, token * width);
  });
  return tokens;
}

/** The gradient of rows from that of their tokens. */
function gathered(
  gradient: Float32Array,
  order: readonly number[],
  { width, count }: { readonly width: number; readonly count: number },
): Float32Array {
  const rows = new Float32Array(count * width);
  order.forEach((row, token) => {
    if (row < 0) return;
    for (let place = 0; place < width; place++)
      rows[row * width + place]! += gradient[token * width + place]!;
  });
  return rows;
}

interface Widths {
  readonly folder: string;
  readonly input: number;
  readonly output: number;
}

/** The first parameter is a weight [out, in], the last one a bias [out] or the same weight. */
function checkWidths({ parameters }: Projection, { folder, input, output }: Widths): void {
  const shapes = [...parameters.values()].map(({ shape }) => shape);
  const [from, to] = [shapes[0]![1], shapes.at(-1)![0]];
  if (from !== input || to !== output)
    throw new EmacError(
      'data',
      `student: the projection must lead from ${input} to ${output} for ${folder}, got ${from} to ${to}`,
    );
}
