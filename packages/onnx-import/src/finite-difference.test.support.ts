/** Test support: compares gradients of an imported operator with central differences of its forward pass. */
import { Random } from '@emac/core';
import { createSession, gradients, Graph, type Shape, type Tensor, type Value } from '@emac/graph';

export interface DifferenceCase {
  /** run-time shapes of the differentiated inputs */
  readonly shapes: readonly (readonly number[])[];
  /** symbolic shapes; default: the run-time ones */
  readonly symbols?: readonly Shape[];
  /** values are uniform in this interval; default [−1.5, 1.5] */
  readonly interval?: readonly [number, number];
  readonly build: (inputs: readonly Tensor[], graph: Graph) => Tensor;
}

/**
 * The largest |analytic − numeric| / max|numeric| over all inputs, for L = Σ c·y with random c.
 * Central differences with step 2⁻⁷ in float32: expect about 1e-4 of noise.
 */
export async function gradientError(testCase: DifferenceCase): Promise<number> {
  const random = Random.fromSeed('finite differences');
  const [low, high] = testCase.interval ?? [-1.5, 1.5];
  const values = testCase.shapes.map((shape) => {
    const size = shape.reduce((product, dimension) => product * dimension, 1);
    return Float32Array.from({ length: size }, () => low + (high - low) * random.uniform());
  });
  const graph = new Graph();
  const inputs = testCase.shapes.map((shape, i) =>
    graph.input(`x${i}`, 'float32', testCase.symbols?.[i] ?? shape),
  );
  const y = testCase.build(inputs, graph);
  const seed = graph.input('seed', 'float32', y.shape);
  graph.output('y', y);
  gradients([y], [seed], inputs).forEach((gradient, i) => graph.output(`g${i}`, gradient));
  await using session = await disposable(graph);
  const feed = (seedValue: Value) => ({
    ...Object.fromEntries(
      values.map((data, i) => [`x${i}`, { type: 'float32', shape: testCase.shapes[i]!, data } as Value]),
    ),
    seed: seedValue,
  });
  const shape = await outputShape(testCase, values);
  const weights = Float32Array.from({ length: shape.reduce((p, d) => p * d, 1) }, () => random.normal());
  const seedValue: Value = { type: 'float32', shape, data: weights };
  const analytic = await session.run(feed(seedValue));
  const loss = async () => {
    const { y: output } = await session.run(feed(seedValue));
    return (output!.data as Float32Array).reduce((sum, value, i) => sum + value * weights[i]!, 0);
  };
  const step = 2 ** -7;
  let worst = 0;
  let largest = 1e-3;
  for (let i = 0; i < values.length; i++)
    for (let j = 0; j < values[i]!.length; j++) {
      const original = values[i]![j]!;
      values[i]![j] = original + step;
      const above = await loss();
      values[i]![j] = original - step;
      const below = await loss();
      values[i]![j] = original;
      const numeric = (above - below) / (2 * step);
      largest = Math.max(largest, Math.abs(numeric));
      worst = Math.max(worst, Math.abs(numeric - (analytic[`g${i}`]!.data as Float32Array)[j]!));
    }
  return worst / largest;
}

async function outputShape(
  testCase: DifferenceCase,
  values: readonly Float32Array[],
): Promise<readonly number[]> {
  const graph = new Graph();
  const inputs = testCase.shapes.map((shape, i) =>
    graph.input(`x${i}`, 'float32', testCase.symbols?.[i] ?? shape),
  );
  graph.output('y', testCase.build(inputs, graph));
  await using session = await disposable(graph);
  const feeds = values.map((data, i) => [
    `x${i}`,
    { type: 'float32', shape: testCase.shapes[i]!, data } as Value,
  ]);
  return (await session.run(Object.fromEntries(feeds)))['y']!.shape;
}

async function disposable(graph: Graph) {
  const session = await createSession(graph, { thread: 'main', threads: 1 });
  return { run: session.run, [Symbol.asyncDispose]: session.dispose };
}
