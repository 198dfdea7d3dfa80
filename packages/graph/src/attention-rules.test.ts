import { describe, expect, it } from 'vitest';
import { gradients, Graph, op, type Tensor, type Value } from './index.ts';
import { lower } from './lowering.ts';
import { encodeModel } from './onnx.ts';
import { mainThread } from './session-thread.ts';

const heads = [1, 2, 3, 2];
const wave = (shape: readonly number[], phase: number): Value => ({
  type: 'float32',
  shape,
  data: Float32Array.from({ length: shape.reduce((p, d) => p * d, 1) }, (_, i) => Math.sin(3 * i + phase)),
});

/** x → norm → self-attention, with a bias or without; outputs `y` and the gradient of x. */
function graphOf(hasBias: boolean): Graph {
  const graph = new Graph();
  const x = graph.input('x', 'float32', heads);
  const bias = graph.constant(Float32Array.of(0, -9, -9, 0, 0, -9, 0, 0, 0), [1, 1, 3, 3]);
  const seen = op.rmsNorm(x, graph.constant(Float32Array.of(1.5, 0.5), [2]), 0.1);
  const y: Tensor = op.attention({
    query: seen,
    key: x,
    value: seen,
    scale: 0.6,
    ...(hasBias ? { bias } : {}),
  });
  graph.output('y', y);
  graph.output('gradient', gradients([y], [graph.input('seed', 'float32', heads)], [x])[0]!);
  return graph;
}

describe('decomposed attention and norm', () => {
  it.each([true, false])('give the numbers of the fused operators (with a bias: %s)', async (hasBias) => {
    const graph = graphOf(hasBias);
    expect(lower(graph, 'cpu').nodes.map(({ type }) => type)).toContain('Attention');
    expect(lower(graph, 'cuda').nodes.map(({ type }) => type)).not.toContain('Attention');
    const thread = await mainThread();
    const feeds = { x: wave(heads, 0), seed: wave(heads, 1) };
    const outputs = ['y', 'gradient'];
    const [fused, written] = await Promise.all(
      (['cpu', 'cuda'] as const).map(async (provider, session) => {
        await thread.create(session, { bytes: encodeModel(graph, provider) }, {});
        const results = await thread.run(session, feeds, { outputs, keep: [] });
        await thread.release(session);
        return results as Record<string, Value>;
      }),
    );
    for (const name of outputs)
      written![name]!.data.forEach((value, index) =>
        expect(fused![name]!.data[index], name).toBeCloseTo(Number(value), 5),
      );
  });
});
