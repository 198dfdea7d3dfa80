/** Ridge regression (Hoerl & Kennard 1970) by Cholesky decomposition, in double precision. */
import { EmacError } from '@emac/core';

/** Rows of inputs and of the outputs they should give. */
export interface Samples {
  readonly inputs: readonly Float32Array[];
  readonly outputs: readonly Float32Array[];
}

export interface Linear {
  /** [outputs, inputs] */
  readonly weight: Float32Array;
  /** [outputs] */
  readonly bias: Float32Array;
}

/**
 * Minimizes Σ ‖y − W x − b‖² + λ ‖W‖², where λ is `ridge` times the mean over the inputs of Σ x². Errors: `data` if the
 * samples do not determine W, which needs a ridge of 0.
 */
export function ridgeRegression({ inputs, outputs }: Samples, ridge: number): Linear {
  const [from, to] = [inputs[0]!.length, outputs[0]!.length];
  const extended = inputs.map((input) => [...input, 1]);
  const gram = products(extended, extended);
  const mean = gram.slice(0, from).reduce((sum, row, i) => sum + row[i]!, 0) / from;
  for (let i = 0; i < from; i++) gram[i]![i]! += ridge * mean;
  const solution = solve(gram, products(extended, outputs));
  return {
    weight: Float32Array.from({ length: to * from }, (_, at) => solution[at % from]![Math.floor(at / from)]!),
    bias: Float32Array.from(solution[from]!),
  };
}

/** Squared error on other samples, as a share of their squared outputs. */
export function relativeError({ weight, bias }: Linear, { inputs, outputs }: Samples): number {
  let [error, all] = [0, 0];
  inputs.forEach((input, row) => {
    bias.forEach((constant, i) => {
      const given = input.reduce((sum, value, j) => sum + weight[i * input.length + j]! * value, constant);
      error += (given - outputs[row]![i]!) ** 2;
      all += outputs[row]![i]! ** 2;
    });
  });
  return error / all;
}

type Matrix = Float64Array[];

/** Σ of a row's left values times its right values [left, right]. */
function products(left: readonly ArrayLike<number>[], right: readonly ArrayLike<number>[]): Matrix {
  return Array.from({ length: left[0]!.length }, (_, i) => {
    const sums = new Float64Array(right[0]!.length);
    left.forEach((row, at) => {
      for (let j = 0; j < sums.length; j++) sums[j]! += row[i]! * right[at]![j]!;
    });
    return sums;
  });
}

/** X of A X = B for a symmetric positive definite A. Errors: `data`. */
export function solve(a: Matrix, b: Matrix): Matrix {
  const factor = cholesky(a);
  const x = b.map((row) => row.slice());
  const subtract = (row: number, other: number, share: number) => {
    for (let j = 0; j < x[row]!.length; j++) x[row]![j]! -= share * x[other]![j]!;
  };
  const divide = (row: number) => {
    for (let j = 0; j < x[row]!.length; j++) x[row]![j]! /= factor[row]![row]!;
  };
  for (let row = 0; row < x.length; row++) {
    for (let other = 0; other < row; other++) subtract(row, other, factor[row]![other]!);
    divide(row);
  }
  for (let row = x.length - 1; row >= 0; row--) {
    for (let other = row + 1; other < x.length; other++) subtract(row, other, factor[other]![row]!);
    divide(row);
  }
  return x;
}

/** The lower triangle L with L Lᵀ = A. */
function cholesky(a: Matrix): Matrix {
  const factor = a.map(({ length }) => new Float64Array(length));
  a.forEach((values, row) => {
    for (let column = 0; column <= row; column++) {
      let rest = values[column]!;
      for (let k = 0; k < column; k++) rest -= factor[row]![k]! * factor[column]![k]!;
      if (column < row) factor[row]![column] = rest / factor[column]![column]!;
      else if (rest > 1e-12 * values[row]!) factor[row]![row] = Math.sqrt(rest);
      else
        throw new EmacError(
          'data',
          `regression: the samples must determine every weight, input ${row} depends on others; use more samples or a larger ridge`,
        );
    }
  });
  return factor;
}
