import { describe, expect, it } from 'vitest';
import { Graph } from './graph.ts';
import { gradients } from './gradients.ts';
import { int8Products } from './int8-products.ts';
import * as op from './op/index.ts';
import { segment } from './segment.ts';
import { createSession } from './session.ts';
import type { Value } from './session-value.ts';

const [rows, inputs, outputs] = [6, 40, 24];
const noise = (length: number, from: number) =>
  Float32Array.from({ length }, (_, index) => Math.sin((from + index) ** 2));

/** y = x·Wᵀ and its gradient in x, with W [out, in] of eight bits. */
function network(): Graph {
  const graph = new Graph();
  const x = graph.input('x', 'float32', ['N', inputs]);
  const seed = graph.input('seed', 'float32', ['N', outputs]);
  const quantized = graph.input('quantized', 'int8', [inputs, outputs]);
  const scale = graph.input('scale', 'float32', [outputs]);
  const shape = [inputs, outputs];
  const attributes = { axis: 1 };
  const columns = graph.node(
    'DequantizeLinear',
    [quantized, scale],
    { type: 'float32', shape },
    { attributes },
  );
  const y = op.linear(x, op.transpose(columns, [1, 0]));
  const gradient = gradients([y], [seed], [x])[0]!;
  return segment(graph, { inputs: {}, outputs: { y, gradient } });
}

const x = noise(rows * inputs, 0);
// rows of very different sizes, as gradients have, and one of zeros
for (let row = 0; row < rows; row++)
  for (let index = 0; index < inputs; index++) x[row * inputs + index]! *= row === 3 ? 0 : 10 ** -row;
const quantized = Int8Array.from(noise(inputs * outputs, 900), (value) => Math.round(127 * value));
const scale = Float32Array.from({ length: outputs }, (_, column) => 0.01 * (1 + column));
const feeds: Record<string, Value> = {
  x: { type: 'float32', shape: [rows, inputs], data: x },
  seed: { type: 'float32', shape: [rows, outputs], data: x.slice(0, rows * outputs) },
  quantized: { type: 'int8', shape: [inputs, outputs], data: quantized },
  scale: { type: 'float32', shape: [outputs], data: scale },
};

/** Expected values in float64. */
function expected() {
  const weight = (o: number, i: number) => quantized[i * outputs + o]! * scale[o]!;
  const sum = (count: number, term: (index: number) => number) =>
    Array.from({ length: count }, (_, index) => term(index)).reduce((total, each) => total + each, 0);
  const seed = feeds['seed']!.data as Float32Array;
  return {
    y: Array.from({ length: rows * outputs }, (_, at) =>
      sum(inputs, (i) => x[Math.floor(at / outputs) * inputs + i]! * weight(at % outputs, i)),
    ),
    gradient: Array.from({ length: rows * inputs }, (_, at) =>
      sum(outputs, (o) => seed[Math.floor(at / inputs) * outputs + o]! * weight(o, at % inputs)),
    ),
  };
}

/** √(Σ(a−b)²/Σb²) of each row. */
function rowErrors(found: Float32Array, wanted: readonly number[], width: number): number[] {
  return Array.from({ length: rows }, (_, row) => {
    const at = Array.from({ length: width }, (__, index) => row * width + index);
    const squares = (value: (index: number) => number) =>
      at.reduce((sum, index) => sum + value(index) ** 2, 0);
    return Math.sqrt(
      squares((index) => found[index]! - wanted[index]!) / (squares((index) => wanted[index]!) || 1),
    );
  });
}

describe('int8Products', () => {
  it.each([
    ['as this processor needs them', {}],
    ['of unsigned bytes', { signed: false }],
  ])('%s differ from float32 by less than a percent in every row, forward and backward', async (_, how) => {
    const graph = int8Products(network(), how);
    expect(graph.nodes.map(({ type }) => type)).not.toContain('FusedMatMul');
    const session = await createSession(graph, { threads: 1 });
    const results = await session.run(feeds);
    await session.dispose();
    const wanted = expected();
    const errors = [
      ...rowErrors(results['y']!.data as Float32Array, wanted.y, outputs),
      ...rowErrors(results['gradient']!.data as Float32Array, wanted.gradient, inputs),
    ];
    expect(Math.max(...errors)).toBeLessThan(0.015);
    // rounding shows, so the products were integer products
    expect(Math.max(...errors)).toBeGreaterThan(1e-4);
    expect([...(results['y']!.data as Float32Array).subarray(3 * outputs, 4 * outputs)]).toEqual(
      Array(outputs).fill(0),
    );
  });

  it('leaves graphs without such weights unchanged', () => {
    const graph = new Graph();
    graph.output('y', op.linear(graph.input('x', 'float32', [2, 3]), graph.input('w', 'float32', [4, 3])));
    expect(int8Products(graph)).toBe(graph);
  });
});
