/** On WebGPU itself, if present: a GPU, or SwiftShader (`VK_DRIVER_FILES`). */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  cpuNodes,
  createSession,
  createSessions,
  gradients,
  Graph,
  nodesOnCpu,
  op,
  providerIsAvailable,
  type Tensor,
  type Value,
} from './index.ts';

const isAvailable = await providerIsAvailable('webgpu');
const folder = mkdtempSync(join(tmpdir(), 'emac-webgpu-'));
afterAll(() => rmSync(folder, { recursive: true }));

const float = (shape: readonly number[], seed = 0): Value => {
  const size = shape.reduce((product, dimension) => product * dimension, 1);
  return {
    type: 'float32',
    shape,
    data: Float32Array.from({ length: size }, (_, i) => Math.sin(12.9898 * (i + 1) + seed)),
  };
};

/** The nodes that ran on the CPU, such as `Range int64`. */
function onCpu(profile: string): string[] {
  const files = readdirSync(folder).filter((name) => name.startsWith(profile));
  expect(files).not.toEqual([]);
  const nodes = files.flatMap((name) => nodesOnCpu(readFileSync(join(folder, name), 'utf8')));
  return nodes.map(({ operator, elements }) => `${operator} ${elements}`);
}

const listed = cpuNodes.flatMap(({ operators, elements }) =>
  operators.map((operator) => `${operator} ${elements}`),
);

type Build = (x: Tensor, graph: Graph) => Tensor;

/** Operators of x [4, 6], with their gradients. */
const operators: Record<string, Build> = {
  exp: op.exp,
  tanh: op.tanh,
  sigmoid: op.sigmoid,
  erf: op.erf,
  relu: op.relu,
  silu: op.silu,
  gelu: op.gelu,
  logSigmoid: op.logSigmoid,
  softmax: op.softmax,
  logSoftmax: op.logSoftmax,
  arithmetic: (x, graph) => op.divide(op.subtract(x, graph.scalar(3)), op.add(op.square(x), graph.scalar(1))),
  norms: (x, graph) => {
    const weight = graph.constant(Float32Array.of(1, 2, 3, -1, 0.5, 1), [6]);
    return op.layerNorm(op.rmsNorm(x, weight, 1e-6), { weight, bias: weight }, 1e-6);
  },
  linear: (x, graph) =>
    op.linear(op.reshape(x, [2, 2, 6]), graph.constant(new Float32Array(18).fill(0.5), [3, 6])),
  products: (x) => op.matMul(op.matMul(x, x, { transposeB: true, scale: 0.5 }), x),
  attention: (x) => {
    const heads = op.reshape(x, [1, 2, 2, 6]);
    return op.attention({ query: heads, key: heads, value: heads, scale: 0.3 });
  },
  movement: (x) =>
    op.concat([op.transpose(op.slice(x, 1, { start: 1, end: 5 }), [1, 0]), op.slice(x, 1, { start: 2 })], 1),
  stretching: (x) => op.multiply(op.expand(op.reduceSum(x, [0], true), [4, 6]), op.reduceMean(x, [1], true)),
  rows: (x, graph) => op.gather(x, graph.input('indices', 'int64', ['L'])),
  choice: (x, graph) => op.where(op.less(x, graph.scalar(0)), op.scale(x, 0.1), x),
  labelled: (x, graph) => op.labelLogProbabilities(x, graph.input('labels', 'int64', [4])),
  rotary: (x, graph) =>
    op.rotary(op.reshape(x, [1, 2, 2, 6]), {
      positionIds: graph.input('positions', 'int64', [1, 2]),
      cos: graph.constant(
        Float32Array.from({ length: 12 }, (_, i) => Math.cos(i)),
        [4, 3],
      ),
      sin: graph.constant(
        Float32Array.from({ length: 12 }, (_, i) => Math.sin(i)),
        [4, 3],
      ),
    }),
};

function withGradients(): Graph {
  const graph = new Graph();
  const x = graph.input('x', 'float32', [4, 6]);
  for (const [name, build] of Object.entries(operators)) {
    const y = build(x, graph);
    graph.output(name, y);
    graph.output(`${name} gradient`, gradients([y], [y], [x])[0]!);
  }
  return graph;
}

const feeds: Record<string, Value> = {
  x: float([4, 6]),
  indices: { type: 'int64', shape: [5], data: BigInt64Array.of(3n, 0n, 3n, 1n, 3n) },
  labels: { type: 'int64', shape: [4], data: BigInt64Array.of(5n, 0n, 2n, 2n) },
  positions: { type: 'int64', shape: [1, 2], data: BigInt64Array.of(1n, 3n) },
};

describe.skipIf(!isAvailable)(
  'on WebGPU (needs a Vulkan driver; SwiftShader through VK_DRIVER_FILES)',
  () => {
    it('operators and their gradients equal those of the CPU, which runs only listed nodes', async () => {
      const profile = join(folder, 'operators-');
      const [there, here] = await Promise.all([
        createSession(withGradients(), { provider: 'webgpu', profile }),
        createSession(withGradients()),
      ]);
      const [ours, expected] = [await there.run(feeds), await here.run(feeds)];
      await Promise.all([there.dispose(), here.dispose()]);
      for (const [name, { data, shape }] of Object.entries(expected)) {
        expect(ours[name]!.shape, name).toEqual(shape);
        const largest = Math.max(...(data as Float32Array).map(Math.abs));
        const off = (data as Float32Array).map((value, i) =>
          Math.abs(value - (ours[name]!.data[i] as number)),
        );
        expect(Math.max(...off) / largest, name).toBeLessThan(2e-5);
      }
      const moved = onCpu('operators-');
      // the indices where the gradient of `rows` is added
      expect(moved).toContain('Expand int64');
      expect(listed).toEqual(expect.arrayContaining(moved));
    });

    it('a network of known batch runs without the CPU, with weights as stored', async () => {
      const graph = new Graph();
      const x = graph.input('x', 'float32', [2, 3, 8]);
      const weight = graph.constant(float([8, 8]).data as Float32Array, [8, 8]);
      const heads = (of: Tensor) => op.reshape(op.linear(of, weight), [2, 3, 2, 4]);
      const [query, key, value] = [x, op.silu(x), op.gelu(x)].map((of) =>
        op.transpose(heads(of), [0, 2, 1, 3]),
      ) as [Tensor, Tensor, Tensor];
      const y = op.softmax(op.attention({ query, key, value, scale: 0.5 }));
      graph.output('y', y);
      graph.output('gradient', gradients([y], [y], [x])[0]!);
      const session = await createSession(graph, { provider: 'webgpu', profile: join(folder, 'network-') });
      await session.run({ x: float([2, 3, 8]) });
      await session.dispose();
      expect(onCpu('network-')).toEqual([]);
    });

    it('an operator without a kernel is an error that names it', async () => {
      const graph = new Graph();
      const x = graph.input('x', 'float32', [2, 2]);
      graph.output('d', graph.node('Det', [x], { type: 'float32', shape: [] }));
      graph.output('positions', op.range(x, 0));
      await expect(createSession(graph, { provider: 'webgpu' })).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringMatching(/^provider webgpu: has no kernel for Det \(float32\)/) as string,
      });
    });

    it('values kept on the GPU feed later runs and other sessions, and are freed on release', async () => {
      const grow = new Graph();
      const past = grow.input('past', 'float32', ['R', 2]);
      grow.output('all', op.concat([past, grow.input('x', 'float32', [1, 2])], 0));
      const sum = new Graph();
      sum.output('total', op.reduceSum(sum.input('all', 'float32', ['R', 2]), [0, 1]));
      const sessions = await createSessions({ grow, sum }, { provider: 'webgpu', kept: ['all'] });
      const x: Value = { type: 'float32', shape: [1, 2], data: Float32Array.of(1, 10) };
      const empty: Value = { type: 'float32', shape: [0, 2], data: new Float32Array() };
      await expect(sessions.grow.run({ past: empty, x })).rejects.toThrow(/output "all" stays on the GPU/);
      let { all } = (await sessions.grow.runKeeping({ past: empty, x }, ['all'])).kept;
      for (let step = 2; step <= 4; step++) {
        const run = sessions.grow.runKeeping({ past: all!, x }, ['all']);
        // a run called before still has them
        sessions.grow.release([all!]);
        all = (await run).kept['all'];
        expect(all!.shape).toEqual([step, 2]);
      }
      expect((await sessions.sum.run({ all: all! }))['total']!.data).toEqual(Float32Array.of(44));
      sessions.sum.release([all!]);
      await expect(sessions.sum.run({ all: all! })).rejects.toThrow(/was released/);
      await Promise.all([sessions.grow.dispose(), sessions.sum.dispose()]);
    });
  },
);
