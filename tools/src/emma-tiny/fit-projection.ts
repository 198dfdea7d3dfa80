/**
 * The projection that emma-tiny is shipped with: the ridge regression from Q-Former outputs to the language model's
 * own vectors of the words that the frames show, so that untrained visual tokens land near words the model can read.
 */

export interface Fit {
  /** [D, Dq] */
  readonly weight: Float32Array;
  /** [D] */
  readonly bias: Float32Array;
}

/** Minimises Σ |W·q + b − e|² + ridge·|W|² over rows q [n, Dq] and e [n, D]. */
export function fitProjection(
  queries: Float32Array,
  targets: Float32Array,
  { inputWidth, outputWidth, ridge }: { inputWidth: number; outputWidth: number; ridge: number },
): Fit {
  const size = inputWidth + 1;
  const rows = queries.length / inputWidth;
  const normal = Array.from({ length: size }, () => new Float64Array(size + outputWidth));
  const row = new Float64Array(size);
  for (let index = 0; index < rows; index++) {
    for (let i = 0; i < inputWidth; i++) row[i] = queries[index * inputWidth + i]!;
    row[inputWidth] = 1;
    for (let i = 0; i < size; i++) {
      const equation = normal[i]!;
      for (let j = 0; j < size; j++) equation[j]! += row[i]! * row[j]!;
      for (let j = 0; j < outputWidth; j++)
        equation[size + j]! += row[i]! * targets[index * outputWidth + j]!;
    }
  }
  for (let i = 0; i < inputWidth; i++) normal[i]![i]! += ridge * rows;
  eliminate(normal);
  const weight = new Float32Array(outputWidth * inputWidth);
  const bias = new Float32Array(outputWidth);
  for (let j = 0; j < outputWidth; j++) {
    for (let i = 0; i < inputWidth; i++) weight[j * inputWidth + i] = normal[i]![size + j]!;
    bias[j] = normal[inputWidth]![size + j]!;
  }
  return { weight, bias };
}

/** Gauss–Jordan elimination with row pivoting; afterwards the right-hand sides hold the solution. */
function eliminate(equations: Float64Array[]): void {
  const size = equations.length;
  for (let column = 0; column < size; column++) {
    let pivot = column;
    for (let i = column + 1; i < size; i++)
      if (Math.abs(equations[i]![column]!) > Math.abs(equations[pivot]![column]!)) pivot = i;
    [equations[column], equations[pivot]] = [equations[pivot]!, equations[column]!];
    const scale = equations[column]![column]!;
    const top = equations[column]!.map((value) => value / scale);
    equations[column] = top;
    equations.forEach((equation, i) => {
      const factor = equation[column]!;
      if (i === column || factor === 0) return;
      for (let j = column; j < equation.length; j++) equation[j]! -= factor * top[j]!;
    });
  }
}
