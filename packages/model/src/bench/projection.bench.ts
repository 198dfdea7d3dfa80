/**
 * One training step of the projection (visual tokens, then gradients of its parameters) on every available tfjs
 * runtime, at the published sizes: `npx nx bench model`. Includes TensorFlow's native runtime if EMAC_TFJS_NODE names
 * it.
 */
import { Random } from '@emac/core';
import { createProjection, type Projection } from '../projection/projection.ts';
import { loadRuntime, runtimes } from '../tensorflow-runtimes.test.support.ts';

const [inputWidth, outputWidth, rows, times] = [768, 4096, 8 * 32, 5];

/** Multiply–adds count as two: Q·Wᵀ forward; dVᵀ·Q backward. */
const operations = 2 * 2 * rows * inputWidth * outputWidth;

function normals(seed: string, length: number): Float32Array {
  const random = Random.fromSeed(seed);
  return Float32Array.from({ length }, () => random.normal());
}

const features = normals('features', rows * inputWidth);
const upstream = normals('upstream', rows * outputWidth);

function milliseconds(projection: Projection): number {
  const start = performance.now();
  projection.forward(features, rows);
  projection.backward(features, rows, upstream);
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}

console.log(
  `projection ${inputWidth} → ${outputWidth}, ${rows} rows, forward and gradients, median of ${times}:`,
);
// one by one: all copies of tfjs in a process share one engine and its active backend
for (const runtime of runtimes) {
  const tf = await loadRuntime(runtime);
  const start = { kind: 'linear', inputWidth, outputWidth, parameters: Random.fromSeed(0) } as const;
  const projection = createProjection(tf, start);
  milliseconds(projection);
  const ms = median(Array.from({ length: times }, () => milliseconds(projection)));
  projection.dispose();
  console.log(
    `${runtime.padEnd(6)} ${ms.toFixed(1).padStart(8)} ms  ${(operations / ms / 1e6).toFixed(1)} GFLOP/s`,
  );
}
