/** The exact value of a formula: adjacent numbers are invalid, `**` and `//` are no operators, 8/(3-8/3) is 24. */
import { expressionOf, valueOf, type Arithmetic } from './expression.ts';
import { negated, product, quotient, sum, whole, type Rational } from './rational.ts';
import type { Token } from './token.ts';

const rationals: Arithmetic<Rational> = {
  of: whole,
  negated,
  operations: {
    '+': sum,
    '-': (left, right) => sum(left, negated(right)),
    '*': product,
    '/': quotient,
  },
};

/** The value of the formula without its blanks; null if it is invalid, or divides by zero. */
export function exactValue(formula: readonly Token[]): Rational | null {
  const lexemes = formula
    .filter((token) => token !== ' ')
    .map((token) => (typeof token === 'number' ? BigInt(token) : token));
  const expression = expressionOf(lexemes);
  return expression && valueOf(expression, rationals);
}
