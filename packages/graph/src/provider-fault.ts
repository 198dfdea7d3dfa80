/**
 * Whether a provider computes as the CPU does, shown by one small network before it is trusted with a run: forward, and the gradients of
 * its input and weights. Drivers of GPUs differ, and a wrong one gives numbers, not errors.
 */
import { messageOf } from '@emac/core';
import { gradients } from './gradients.ts';
import { Graph, type Tensor } from './graph.ts';
import * as op from './op/index.ts';
import { createSession } from './session.ts';
import type { Provider } from './session-provider.ts';
import type { Feeds, Value } from './session-value.ts';

/** of the largest number of an output: operators of one network round a hundred times at 6e-8 */
const tolerance = 1e-4;

/** Null if `provider` works here and computes as the CPU does; else a sentence that says why not. */
export async function providerFault(provider: Provider): Promise<string | null> {
  try {
    const [theirs, ours] = [await resultsOf(provider), await resultsOf('cpu')];
    const off = farthest(theirs, ours);
    if (off.share <= tolerance) return null;
    return `provider ${provider}: its ${off.name} differs from the processor's by ${off.share.toExponential(1)} of the largest number; up to ${tolerance} is rounding`;
  } catch (thrown) {
    return messageOf(thrown);
  }
}

async function resultsOf(provider: Provider): Promise<Readonly<Record<string, Value>>> {
  const session = await createSession(smallNetwork(), { provider, thread: 'main', threads: 1 });
  try {
    return await session.run(feeds);
  } finally {
    await session.dispose();
  }
}

const shapes = {
  x: [2, 3, 6, 6],
  kernel: [4, 3, 3, 3],
  weight: [8, 64],
  norm: [8],
  table: [8, 8],
} as const;

const feeds: Feeds = Object.fromEntries(
  Object.entries(shapes).map(([name, shape], place) => [name, wave(shape, place)]),
);

/** numbers between −0.5 and 0.5 */
function wave(shape: readonly number[], place: number): Value {
  const size = shape.reduce((product, dimension) => product * dimension, 1);
  const data = Float32Array.from({ length: size }, (_, index) => Math.sin(1.7 * index + place) / 2);
  return { type: 'float32', shape, data };
}

/** A picture, convolved and read by a layer; attention over its features; their log-probabilities. */
function smallNetwork(): Graph {
  const graph = new Graph();
  const input = Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => [name, graph.input(name, 'float32', shape)]),
  ) as Record<keyof typeof shapes, Tensor>;
  const picture = op.relu(op.convolution(input.x, input.kernel));
  const features = op.gelu(op.linear(op.reshape(picture, [2, 64]), input.weight));
  const heads = op.reshape(op.rmsNorm(features, input.norm, 1e-6), [1, 2, 2, 4]);
  const attended = op.attention({ query: heads, key: heads, value: op.silu(heads), scale: 0.5 });
  const logProbabilities = op.logSoftmax(op.matMul(op.reshape(attended, [2, 8]), input.table));
  graph.output('forward pass', logProbabilities);
  const sum = op.reduceSum(op.square(logProbabilities), [0, 1]);
  gradients([sum], [null], Object.values(input)).forEach((gradient, place) =>
    graph.output(`gradient of ${Object.keys(input)[place]!}`, gradient),
  );
  return graph;
}

/** The output that is farthest from what it should be, as a share of its largest number. */
export function farthest(
  results: Readonly<Record<string, Value>>,
  expected: Readonly<Record<string, Value>>,
): { readonly name: string; readonly share: number } {
  const each = Object.entries(expected).map(([name, { data }]) => {
    const [is, should] = [results[name]!.data as Float32Array, data as Float32Array];
    const off = is.map((value, place) => Math.abs(value - should[place]!));
    // what is no number is infinitely far
    const share = Math.max(...off) / Math.max(...should.map(Math.abs));
    return { name, share: Number.isNaN(share) ? Infinity : share };
  });
  return each.reduce((most, one) => (one.share > most.share ? one : most));
}
