/**
 * Orthogonal initialization (Saxe et al., arXiv 1312.6120), by the rule of PyTorch's `orthogonal_`: a matrix of normal
 * numbers made orthonormal along its shorter side, times a gain.
 */
import type { Random } from '@emac/core';

/** A matrix of shape [out, in…] (axes after `out` count as one): orthonormal rows, or columns if there are fewer of these. */
export function orthogonal(random: Random, shape: readonly number[], gain: number): Float32Array {
  const rows = shape[0]!;
  const columns = shape.slice(1).reduce((product, size) => product * size, 1);
  const [count, length] = rows <= columns ? [rows, columns] : [columns, rows];
  const vectors = orthonormal(random, count, length);
  const data = new Float32Array(rows * columns);
  vectors.forEach((vector, which) =>
    vector.forEach((value, place) => {
      data[rows <= columns ? which * columns + place : place * columns + which] = gain * value;
    }),
  );
  return data;
}

/** Gram–Schmidt, twice per vector: enough for orthogonality up to rounding. */
function orthonormal(random: Random, count: number, length: number): Float64Array[] {
  const made: Float64Array[] = [];
  while (made.length < count) {
    const vector = Float64Array.from({ length }, () => random.normal());
    for (let pass = 0; pass < 2; pass++)
      for (const other of made) {
        const share = product(vector, other);
        for (let place = 0; place < length; place++) vector[place]! -= share * other[place]!;
      }
    const norm = Math.sqrt(product(vector, vector));
    made.push(vector.map((value) => value / norm));
  }
  return made;
}

function product(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let place = 0; place < a.length; place++) sum += a[place]! * b[place]!;
  return sum;
}
