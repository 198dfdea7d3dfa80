import { expect, it } from 'vitest';
import { momentsOf, standardized, standardizedNorm } from './standardize.ts';

const rows = [[1, 10], [3, 10], [5, 40], [7, 40]].map((row) => Float32Array.from(row)); // prettier-ignore

it('measures means and standard deviations of columns', () => {
  const { means, deviations } = momentsOf(rows);
  expect([...means]).toEqual([4, 25]);
  // variances: (9 + 1 + 1 + 9) / 4 and 15²
  expect(deviations[0]).toBeCloseTo(Math.sqrt(5), 12);
  expect(deviations[1]).toBe(15);
});

it('gives rows of mean 0 and variance 1', () => {
  const { means, deviations } = momentsOf(standardized(rows, momentsOf(rows)));
  for (const mean of means) expect(mean).toBeCloseTo(0, 6);
  for (const deviation of deviations) expect(deviation).toBeCloseTo(1, 6);
});

it('standardizes what a LayerNorm gives by its weight and bias', () => {
  const moments = { means: Float64Array.of(4, 25), deviations: Float64Array.of(2, 5) };
  const normal = Float32Array.of(0.5, -2);
  const norm = { weight: Float32Array.of(8, 10), bias: Float32Array.of(2, 50) };
  // 0.5 · 8 + 2 = 6 and −2 · 10 + 50 = 30, standardized 1 and 1
  const { weight, bias } = standardizedNorm(norm, moments);
  expect([...normal].map((value, i) => value * weight[i]! + bias[i]!)).toEqual([1, 1]);
});
