import { expect, it } from 'vitest';
import { relativeError, ridgeRegression, solve } from './ridge.ts';

const row = (...values: number[]) => Float32Array.from(values);

it('solves symmetric positive definite equations', () => {
  // 4·1 + 2·2 = 8, 2·1 + 5·2 = 12; 4·0.5 + 2·0 = 2, 2·0.5 + 5·0 = 1
  const [first, second] = solve(
    [Float64Array.of(4, 2), Float64Array.of(2, 5)],
    [Float64Array.of(8, 2), Float64Array.of(12, 1)],
  );
  expect([...first!, ...second!]).toEqual([1, 0.5, 2, 0].map((value) => expect.closeTo(value, 12) as number));
});

it('shrinks weights by the ridge, but not the bias', () => {
  // y = 3 + x: Σx² = 2, so the weight is 2 / (2 + 0.5 · 2)
  const samples = { inputs: [row(-1), row(1)], outputs: [row(2), row(4)] };
  const { weight, bias } = ridgeRegression(samples, 0.5);
  expect(weight[0]).toBeCloseTo(2 / 3, 6);
  expect(bias[0]).toBeCloseTo(3, 6);
  // each output is off by 1/3
  expect(relativeError({ weight, bias }, samples)).toBeCloseTo(2 / 9 / 20, 6);
});

it('finds all weights of several outputs without a ridge', () => {
  const inputs = [row(0, 0), row(1, 0), row(0, 1), row(2, 3)];
  const outputs = inputs.map((input) => row(1 + 2 * input[0]! - input[1]!, 5 * input[1]!));
  const { weight, bias } = ridgeRegression({ inputs, outputs }, 0);
  expect([...weight, ...bias]).toEqual(
    [2, -1, 0, 5, 1, 0].map((value) => expect.closeTo(value, 5) as number),
  );
});

it('rejects samples that do not determine the weights', () => {
  const samples = { inputs: [row(1, 1), row(2, 2), row(4, 4)], outputs: [row(1), row(2), row(3)] };
  expect(() => ridgeRegression(samples, 0)).toThrow(expect.objectContaining({ code: 'data' }));
});
