/** Centres values and scales them to unit variance, in rows or in the LayerNorm that gives them. */

/** Mean and standard deviation of each value of a row. */
export interface Moments {
  readonly means: Float64Array;
  readonly deviations: Float64Array;
}

export function momentsOf(rows: readonly Float32Array[]): Moments {
  const width = rows[0]!.length;
  const average = (of: (row: Float32Array, i: number) => number) =>
    Float64Array.from(
      { length: width },
      (_, i) => rows.reduce((sum, row) => sum + of(row, i), 0) / rows.length,
    );
  const means = average((row, i) => row[i]!);
  const variances = average((row, i) => (row[i]! - means[i]!) ** 2);
  return { means, deviations: variances.map(Math.sqrt) };
}

export function standardized(rows: readonly Float32Array[], { means, deviations }: Moments): Float32Array[] {
  return rows.map((row) => row.map((value, i) => (value - means[i]!) / deviations[i]!));
}

/** Weight and bias of a LayerNorm. */
export interface Norm {
  readonly weight: Float32Array;
  readonly bias: Float32Array;
}

/** The LayerNorm whose outputs are those of `norm` standardized. */
export function standardizedNorm({ weight, bias }: Norm, { means, deviations }: Moments): Norm {
  return {
    weight: weight.map((value, i) => value / deviations[i]!),
    bias: bias.map((value, i) => (value - means[i]!) / deviations[i]!),
  };
}
