import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSession, Graph, op, type Value } from './index.ts';

const float = (shape: number[], ...values: number[]): Value => ({
  type: 'float32',
  shape,
  data: Float32Array.from(values),
});

describe('Session', () => {
  it('computes in a worker thread while timers keep ticking', async () => {
    const graph = new Graph();
    const x = graph.input('x', 'float32', ['N', 'N']);
    let y = x;
    for (let i = 0; i < 8; i++) y = op.matMul(y, x, { scale: 1e-3 });
    graph.output('y', op.reduceSum(y, [0, 1]));
    const session = await createSession(graph);
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    const size = 600;
    const result = await session.run({
      x: { type: 'float32', shape: [size, size], data: new Float32Array(size * size).fill(0.01) },
    });
    clearInterval(timer);
    await session.dispose();
    // each product multiplies every element by 600 · 0.01 · 1e-3 = 6e-3
    const expected = size * size * 0.01 * 6e-3 ** 8;
    expect((result['y']!.data as Float32Array)[0]! / expected).toBeCloseTo(1, 3);
    expect(ticks).toBeGreaterThan(0);
  });

  it('reads a weight in place from any byte offset, also through a symbolic link', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'emac-graph-'));
    const bytes = new Uint8Array(3 + 16);
    bytes.set(new Uint8Array(Float32Array.of(1, 2, 3, 4).buffer), 3);
    writeFileSync(join(folder, 'weights.bin'), bytes);
    symlinkSync(join(folder, 'weights.bin'), join(folder, 'link.bin'));
    const graph = new Graph();
    const weight = graph.external('w', 'float32', {
      shape: [2, 2],
      file: join(folder, 'link.bin'),
      offset: 3,
      length: 16,
    });
    graph.output('y', op.linear(graph.input('x', 'float32', ['B', 2]), weight));
    const session = await createSession(graph);
    // [1 10]·[[1 2] [3 4]]ᵀ = [1+20, 3+40]
    expect((await session.run({ x: float([1, 2], 1, 10) }))['y']!.data).toEqual(Float32Array.of(21, 43));
    await session.dispose();
  });

  it('names an input that is missing or has another shape', async () => {
    const graph = new Graph();
    graph.output('y', op.negate(graph.input('x', 'float32', ['B', 2])));
    const session = await createSession(graph);
    await expect(session.run({})).rejects.toThrow(/input "x" is missing/);
    await expect(session.run({ x: float([1, 3], 1, 2, 3) })).rejects.toThrow(
      /"x" must be float32 \[B, 2\], got float32 \[1, 3\]/,
    );
    await session.dispose();
  });

  it('refuses a provider that is not there and says how to get it', async () => {
    const graph = new Graph();
    graph.output('y', op.negate(graph.input('x', 'float32', [1])));
    await expect(createSession(graph, { provider: 'cuda' })).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('Graph', () => {
  it('refuses shapes that do not fit while it is built', () => {
    const graph = new Graph();
    const a = graph.input('a', 'float32', ['B', 3]);
    const b = graph.input('b', 'float32', ['B', 4]);
    expect(() => op.add(a, b)).toThrow('Add: shapes must agree or be 1, got [B, 3] and [B, 4]');
    expect(() => op.matMul(a, b)).toThrow(/inner dimensions must agree/);
    expect(() => op.reshape(a, ['B', 2])).toThrow(/sizes must agree/);
  });
});
