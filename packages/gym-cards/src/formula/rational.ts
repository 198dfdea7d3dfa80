/** Exact fractions of integers without bounds. */

/** The denominator is positive and shares no factor with the numerator. */
export interface Rational {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** An integer as a fraction. */
export function whole(value: bigint): Rational {
  return { numerator: value, denominator: 1n };
}

export function sum(left: Rational, right: Rational): Rational {
  const numerator = left.numerator * right.denominator + right.numerator * left.denominator;
  return reduced(numerator, left.denominator * right.denominator);
}

export function product(left: Rational, right: Rational): Rational {
  return reduced(left.numerator * right.numerator, left.denominator * right.denominator);
}

/** Null for a division by zero. */
export function quotient(left: Rational, right: Rational): Rational | null {
  if (right.numerator === 0n) return null;
  return reduced(left.numerator * right.denominator, left.denominator * right.numerator);
}

export function negated({ numerator, denominator }: Rational): Rational {
  return { numerator: -numerator, denominator };
}

function reduced(numerator: bigint, denominator: bigint): Rational {
  const divisor = greatestCommonDivisor(numerator, denominator) * (denominator < 0n ? -1n : 1n);
  return { numerator: numerator / divisor, denominator: denominator / divisor };
}

/** Euclid; positive unless both are zero. */
function greatestCommonDivisor(left: bigint, right: bigint): bigint {
  let [larger, smaller] = [left < 0n ? -left : left, right < 0n ? -right : right];
  while (smaller !== 0n) [larger, smaller] = [smaller, larger % smaller];
  return larger;
}
