/**
 * Rows of a position table for pictures of another number of patches than the table's (NaViT, arXiv 2307.06304): a patch's
 * place as a fraction of its side decides. Computed in float32 as transformers 4.57 does. Departure from the models' own
 * training: transformers subtracts a millionth before rounding down, so that in a picture of the table's size patch i > 0
 * gets row i − 1; before version 4.50, and in bfloat16, it got row i.
 */

/** For each of `count`² patches, line by line, its row of a table for `side`² patches. */
export function fractionalPositions(count: number, side: number): number[] {
  const { fround } = Math;
  const step = 1 / side;
  const length = Math.ceil((1 - step) / step);
  const boundaries = Array.from({ length }, (_, index) => fround(step + step * index));
  const rows = Array.from({ length: count }, (_, index) => {
    const place = fround(fround(index / count) * fround(1 - 1e-6));
    return boundaries.filter((boundary) => boundary <= place).length;
  });
  return rows.flatMap((row) => rows.map((column) => row * side + column));
}
