/**
 * Inverted dropout (Srivastava et al. 2014) with a mask computed from fed numbers. Forward, backward and recomputation see the
 * same mask, and a mask of [..., in] needs no memory of its own outside a run. Element (i, j) has u = frac(ρᵢ·γⱼ) with ρ in [1024,
 * 2048) and γ in [1, 2), both uniform. u is uniform for any i and j, and independent for any two elements to float32's resolution.
 * An element is dropped if u is below the rate, else divided by 1 − rate. Departure from torch: the whole mask depends on i + j
 * numbers, not on i · j.
 */
import type { Random } from '@emac/core';
import { op, type Feeds, type Tensor, type Value } from '@emac/graph';

/** Inputs shared by all dropped values of a graph: ρ [N], at least one per row of a value, and the rate []. */
const dropoutNames = { rows: 'dropout_rows', rate: 'dropout_rate' } as const;

/** x [..., in] with elements dropped; `columns` [in] holds γ. */
export function dropped(x: Tensor, columns: Tensor): Tensor {
  const { graph, type, shape } = x;
  const rows = graph.memo(dropoutNames.rows, () => graph.input(dropoutNames.rows, 'float32', ['N']));
  const rate = graph.memo(dropoutNames.rate, () => graph.input(dropoutNames.rate, 'float32', []));
  const leading = [...shape.slice(0, -1), 1];
  // as many rows as x has, in the shape of x
  const count = graph.node('ReduceProd', [graph.shapeVector(shape.slice(0, -1)), graph.integers([0])], {
    type: 'int64',
    shape: [1],
  });
  const own = graph.node('Slice', [rows, graph.integers([0]), count, graph.integers([0])], {
    type,
    shape: ['M'],
  });
  const column = graph.node('Reshape', [own, graph.shapeVector(leading)], { type, shape: leading });
  const product = graph.node('Mul', [column, columns], { type, shape });
  const whole = graph.node('Floor', [product], { type, shape });
  const chance = graph.node('Sub', [product, whole], { type, shape });
  const isDropped = graph.node('Less', [chance, rate], { type: 'bool', shape });
  const kept = graph.node(
    'Div',
    [graph.scalar(1), graph.node('Sub', [graph.scalar(1), rate], { type, shape: [] })],
    {
      type,
      shape: [],
    },
  );
  const mask = graph.node('Where', [isDropped, graph.scalar(0), kept], { type, shape });
  return op.multiply(x, mask);
}

/** Numbers for the rows of one sequence after another; without a generator nothing is dropped. */
export function rowNumbers(length: number, random: Random | null): Float32Array {
  return Float32Array.from({ length }, () => (random ? 1024 * (1 + random.uniform()) : 0));
}

/** Numbers for the inputs of one projection. */
export function columnNumbers(length: number, random: Random | null): Float32Array {
  return Float32Array.from({ length }, () => (random ? 1 + random.uniform() : 0));
}

/** Feeds of the shared inputs. */
export function dropoutFeeds(rows: Float32Array, rate: number): Feeds {
  const scalar: Value = { type: 'float32', shape: [], data: Float32Array.of(rate) };
  return {
    [dropoutNames.rows]: { type: 'float32', shape: [rows.length], data: rows },
    [dropoutNames.rate]: scalar,
  };
}
