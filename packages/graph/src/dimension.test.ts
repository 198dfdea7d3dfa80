import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addDimensions,
  dimensionTerms,
  divideDimensions,
  exactQuotient,
  floorOperands,
  leastSize,
  multiplyDimensions,
  sameDimension,
  subtractDimensions,
} from './dimension.ts';

/** The value of a dimension for B = 3, T = 5, S = 7. */
function evaluate(dimension: number | string): number {
  const values: Record<string, number> = { B: 3, T: 5, S: 7 };
  return dimensionTerms(dimension).reduce(
    (sum, { factor, symbols }) =>
      sum +
      symbols.reduce((product, symbol) => {
        const operands = floorOperands(symbol);
        const value = operands ? Math.floor(evaluate(operands[0]) / evaluate(operands[1])) : values[symbol]!;
        return product * value;
      }, factor),
    0,
  );
}

const symbol = fc.constantFrom<number | string>(1, 2, 6, 'B', 'T', 'S');
const dimension = fc
  .array(fc.array(symbol, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 })
  .map((terms) => addDimensions(...terms.map((factors) => multiplyDimensions(...factors))));

describe('dimensions', () => {
  it('are written in their shortest form', () => {
    expect(multiplyDimensions(4, 'B')).toBe('4*B');
    expect(addDimensions(32, 'T')).toBe('32+T');
    expect(multiplyDimensions('B', addDimensions('S', 2))).toBe('2*B+B*S');
    expect(subtractDimensions('T', 'T')).toBe(0);
    expect(multiplyDimensions(2, 3)).toBe(6);
  });

  it('are equal if they are the same polynomial', () => {
    expect(sameDimension('B*(3+T)', 'T*B+3*B')).toBe(true);
    expect(sameDimension('S+T', 'T+S')).toBe(true);
    expect(sameDimension('B', 'T')).toBe(false);
    expect(sameDimension('B', 2)).toBe(false);
    expect(sameDimension('B', undefined)).toBe(false);
  });

  it('have a lower bound with all symbols at 1', () => {
    expect(['S', '1+S', 'N+L', '2*B*S+3', 7].map(leastSize)).toEqual([1, 2, 2, 5, 7]);
    // ⌊(1+S)/3⌋ may be 0, and S − T may be anything
    expect([divideDimensions('1+S', 3), subtractDimensions('S', 'T')].map(leastSize)).toEqual([0, -Infinity]);
  });

  it('divide exactly where possible', () => {
    expect(exactQuotient('4*B*T', '2*T')).toBe('2*B');
    expect(exactQuotient('4*B+6', 4)).toBe(null);
    expect(exactQuotient('B+T', 'B+T')).toBe(1);
    expect(divideDimensions('-1+2*T', 2)).toBe('-1+T');
    expect(divideDimensions('3+T', 2)).toBe('1+floor((1+T)/(2))');
  });

  it('give the same results as numbers', () => {
    fc.assert(
      fc.property(dimension, dimension, fc.integer({ min: 1, max: 4 }), (a, b, n) => {
        expect(evaluate(addDimensions(a, b))).toBe(evaluate(a) + evaluate(b));
        expect(evaluate(multiplyDimensions(a, b))).toBe(evaluate(a) * evaluate(b));
        expect(evaluate(divideDimensions(a, n))).toBe(Math.floor(evaluate(a) / n));
        expect(exactQuotient(multiplyDimensions(a, n), n)).not.toBe(null);
        const quotient = exactQuotient(a, b);
        if (quotient !== null) expect(evaluate(quotient)).toBe(evaluate(a) / evaluate(b));
      }),
    );
  });
});
