import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gradients, Graph, op, type Tensor, type Value } from './index.ts';
import { lower } from './lowering.ts';
import { encodeLowered } from './onnx.ts';
import { onnxOptions, type Provider } from './session-provider.ts';
import { mainThread } from './session-thread.ts';

let sessions = 0;

/** A graph's CPU results in the operators chosen for a provider. */
async function results(graph: Graph, provider: Provider, feeds: Record<string, Value>) {
  const thread = await mainThread();
  const session = --sessions;
  await thread.create(
    session,
    { bytes: encodeLowered(lower(graph, provider)) },
    onnxOptions('cpu', { flushDenormals: false }),
  );
  const values = await thread.run(session, feeds, { outputs: [...graph.outputs.keys()], keep: [] });
  await thread.release(session);
  return values as Record<string, Value>;
}

const types = (graph: Graph): string[] => lower(graph, 'webgpu').nodes.map(({ type }) => type);

function uniform(shape: readonly number[], seed: number): Value {
  const size = shape.reduce((product, dimension) => product * dimension, 1);
  // a few digits only, so sums in any order are exact
  const data = Float32Array.from({ length: size }, (_, i) => (((i + 1) * 37 + seed * 11) % 17) / 8 - 1);
  return { type: 'float32', shape, data };
}

describe('products in the operators of WebGPU', () => {
  const sizes = fc.record({
    transposeA: fc.boolean(),
    transposeB: fc.boolean(),
    scale: fc.constantFrom(1, 0.5, -2),
    /** axes before the last two: of A, of B */
    batch: fc.constantFrom(
      [[], []],
      [[3], []],
      [[2, 3], []],
      [
        [2, 3],
        [2, 3],
      ],
      [[2, 1], [3]],
      [[], [2]],
    ),
    known: fc.boolean(),
    size: fc.tuple(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 5 }),
    ),
  });

  it('give the same numbers as on the CPU, for any transposed, scaled, broadcast or unknown operand', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, async ({ batch, known, size: [n, k, m], ...options }) => {
        const a = [...batch[0]!, ...(options.transposeA ? [k, n] : [n, k])];
        const b = [...batch[1]!, ...(options.transposeB ? [m, k] : [k, m])];
        const graph = new Graph();
        // only axes of both factors, or not broadcast, may be unknown
        const shapeOf = (shape: number[], rows: string) =>
          known || batch.flat().includes(1) || batch[0]!.length < batch[1]!.length
            ? shape
            : shape.map((d, i) =>
                i < shape.length - 2 ? `D${i}` : i === shape.length - 2 && rows ? rows : d,
              );
        const left = graph.input('a', 'float32', shapeOf(a, options.transposeA ? '' : 'N'));
        const right = graph.input('b', 'float32', shapeOf(b, ''));
        graph.output('y', op.matMul(left, right, options));
        const feeds = { a: uniform(a, 1), b: uniform(b, 2) };
        expect(await results(graph, 'webgpu', feeds)).toEqual(await results(graph, 'cpu', feeds));
        expect(types(graph)).not.toContain('FusedMatMul');
      }),
      { numRuns: 60 },
    );
  });

  it('read a weight as it is stored, forward and backward, with unknown batch and length', () => {
    const graph = new Graph();
    const x = graph.input('x', 'float32', ['B', 'T', 8]);
    const weight = graph.external('w', 'float32', { shape: [4, 8], file: '/w', offset: 0, length: 128 });
    const y = op.linear(x, weight);
    const [back] = y.origin!.vjp(graph.input('g', 'float32', ['B', 'T', 4])) as [Tensor];
    graph.output('y', y);
    graph.output('back', back);
    const readers = lower(graph, 'webgpu').nodes.filter(({ inputs }) => inputs.includes(weight));
    expect(readers.map(({ type, attributes }) => [type, attributes['transB']])).toEqual([
      ['Gemm', 1],
      ['MatMul', undefined],
    ]);
  });

  it('of an adapter, whose rank is not known: forward, backward, and with rows of rank 3 and 1', async () => {
    const graph = new Graph();
    const x = graph.input('x', 'float32', ['B', 'T', 8]);
    const [down, up] = [graph.input('A', 'float32', ['rank', 8]), graph.input('B', 'float32', [4, 'rank'])];
    const y = op.linear(op.linear(x, down), up);
    graph.output('y', y);
    gradients([y], [y], [x, down, up]).forEach((gradient, place) =>
      graph.output(`gradient ${place}`, gradient!),
    );
    expect(types(graph)).not.toContain('FusedMatMul');
    for (const rank of [3, 1]) {
      // small integers: any order of the sums gives the same bits
      const whole = (shape: number[]): Value => ({
        type: 'float32',
        shape,
        data: Float32Array.from({ length: shape.reduce((a, b) => a * b) }, (_, i) => ((i * 7) % 5) - 2),
      });
      const feeds = { x: whole([2, 5, 8]), A: whole([rank, 8]), B: whole([4, rank]) };
      expect(await results(graph, 'webgpu', feeds)).toEqual(await results(graph, 'cpu', feeds));
    }
  });

  it('stay one FusedMatMul on the CPU and on CUDA, which have its kernel', () => {
    const graph = new Graph();
    graph.output('y', op.linear(graph.input('x', 'float32', ['B', 8]), graph.input('w', 'float32', [4, 8])));
    for (const provider of ['cpu', 'cuda'] as const)
      expect(lower(graph, provider).nodes.map(({ type }) => type)).toEqual(['FusedMatMul']);
  });
});

describe('other operators on WebGPU', () => {
  it('give an exact log-softmax for logits far apart and far from 0', async () => {
    const graph = new Graph();
    graph.output('y', op.logSoftmax(graph.input('x', 'float32', ['B', 3])));
    const x: Value = { type: 'float32', shape: [2, 3], data: Float32Array.of(0, 0, 0, 1000, -1000, 1000) };
    const { y } = await results(graph, 'webgpu', { x });
    // log 1/3 three times; 1000 twice: log 1/2, and −2000 + log 1/2
    const expected = [1, 1, 1].map(() => -Math.log(3)).concat([-Math.LN2, -2000 - Math.LN2, -Math.LN2]);
    expect(y!.data).toEqual(Float32Array.from(expected));
    expect(types(graph)).not.toContain('LogSoftmax');
  });

  it('give one-hot rows, the sign of a rectifier’s gradient, and "or"', async () => {
    const graph = new Graph();
    graph.output('hot', op.oneHot(graph.input('i', 'int64', ['L']), 3));
    const x = graph.input('x', 'float32', [3]);
    graph.output('slope', op.relu(x).origin!.vjp(graph.input('g', 'float32', [3]))[0]!);
    const [a, b] = ['a', 'b'].map((name) => graph.input(name, 'bool', [4])) as [Tensor, Tensor];
    graph.output('or', op.or(a, b));
    const bool = (...data: number[]): Value => ({ type: 'bool', shape: [4], data: Uint8Array.from(data) });
    const values = await results(graph, 'webgpu', {
      i: { type: 'int64', shape: [2], data: BigInt64Array.of(2n, 0n) },
      x: { type: 'float32', shape: [3], data: Float32Array.of(-2, 0, 3) },
      g: { type: 'float32', shape: [3], data: Float32Array.of(5, 6, 7) },
      a: bool(0, 0, 1, 1),
      b: bool(0, 1, 0, 1),
    });
    expect(values['hot']!.data).toEqual(Float32Array.of(0, 0, 1, 1, 0, 0));
    expect([...(values['slope']!.data as Float32Array)].map(Math.abs)).toEqual([0, 0, 7]);
    expect([...(values['or']!.data as Uint8Array)]).toEqual([0, 1, 1, 1]);
    for (const replaced of ['OneHot', 'Sign', 'Or']) expect(types(graph)).not.toContain(replaced);
  });
});
