/** Amounts that are known only to lie between two bounds. */

export interface Range {
  readonly least: number;
  readonly most: number;
}

export const nothing: Range = { least: 0, most: 0 };

/** A known amount. */
export function exactly(amount: number): Range {
  return { least: amount, most: amount };
}

export function sumOf(ranges: readonly Range[]): Range {
  return ranges.reduce(
    (sum, { least, most }) => ({ least: sum.least + least, most: sum.most + most }),
    nothing,
  );
}

/** Both bounds of one multiplied with those of the other; all are 0 or more. */
export function product(a: Range, b: Range): Range {
  return { least: a.least * b.least, most: a.most * b.most };
}
