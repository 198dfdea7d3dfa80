/**
 * The value of Python's `eval` on a formula's joined tokens, as published. Adjacent numbers run together (2 and 4 are
 * 24), `**` is a power, `//` a division rounded down. Quotients are double-precision floats, so 8/(3-8/3) is not 24.
 * Departures: a power above 2²⁰ bits, or a complex one, has no value here.
 */
import { expressionOf, valueOf, type Arithmetic, type Lexeme } from './expression.ts';
import type { Token } from './token.ts';

/** Python's `int` and `float`. */
export type PythonNumber = bigint | number;

const python: Arithmetic<PythonNumber> = {
  of: (value) => value,
  negated: (value) => -value,
  operations: {
    '+': both({ integers: (left, right) => left + right, floats: (left, right) => left + right }),
    '-': both({ integers: (left, right) => left - right, floats: (left, right) => left - right }),
    '*': both({ integers: (left, right) => left * right, floats: (left, right) => left * right }),
    '/': both({
      integers: trueQuotient,
      floats: (left, right) => (right === 0 ? null : left / right),
    }),
    '//': both({ integers: integerFloor, floats: floatFloor }),
    '**': both({ integers: integerPower, floats: floatPower }),
  },
};

/** Null if Python raises an error. */
export function pythonValue(formula: readonly Token[]): PythonNumber | null {
  const lexemes = lexemesIn(formula.join(''));
  const expression = lexemes && expressionOf(lexemes);
  return expression && valueOf(expression, python);
}

function lexemesIn(text: string): Lexeme[] | null {
  const lexemes: Lexeme[] = [];
  const next = / *(?:(\d+)|(\*\*|\/\/|[-+*/()]))/y;
  const end = text.trimEnd().length;
  while (next.lastIndex < end) {
    const [, digits, operator] = next.exec(text) ?? [];
    if (digits === undefined && operator === undefined) return null;
    lexemes.push(digits === undefined ? operator! : BigInt(digits));
  }
  return lexemes;
}

interface Operation {
  readonly integers: (left: bigint, right: bigint) => PythonNumber | null;
  readonly floats: (left: number, right: number) => number | null;
}

/** Integers stay among themselves; one float makes a float of the other, unless that is too large for one. */
function both({
  integers,
  floats,
}: Operation): (left: PythonNumber, right: PythonNumber) => PythonNumber | null {
  return (left, right) => {
    if (typeof left === 'bigint' && typeof right === 'bigint') return integers(left, right);
    const [first, second] = [Number(left), Number(right)];
    const isTooLarge = (value: PythonNumber): boolean =>
      typeof value === 'bigint' && !isFinite(Number(value));
    return isTooLarge(left) || isTooLarge(right) ? null : floats(first, second);
  };
}

/** Rounded once from the exact quotient, as Python does. */
function trueQuotient(left: bigint, right: bigint): number | null {
  if (right === 0n) return null;
  const [direct, divisor] = [Number(left), Number(right)];
  if (Number.isSafeInteger(direct) && Number.isSafeInteger(divisor)) return direct / divisor;
  // 64 bits and more of the quotient, the lowest standing for all that follow
  const shift = BigInt(Math.max(0, bits(right) - bits(left) + 66));
  const [dividend, by] = [(left < 0n ? -left : left) << shift, right < 0n ? -right : right];
  const leading = (dividend / by) | (dividend % by === 0n ? 0n : 1n);
  const value = Number(leading) / 2 ** Number(shift);
  if (!isFinite(value)) return null;
  return left < 0n === right < 0n ? value : -value;
}

function bits(value: bigint): number {
  return (value < 0n ? -value : value).toString(2).length;
}

function integerFloor(left: bigint, right: bigint): bigint | null {
  if (right === 0n) return null;
  const towardsZero = left / right;
  return left % right !== 0n && left < 0n !== right < 0n ? towardsZero - 1n : towardsZero;
}

/** As in CPython: through the remainder, with the divisor's sign. */
function floatFloor(left: number, right: number): number | null {
  if (right === 0) return null;
  const remainder = left % right;
  const quotient = (left - remainder) / right - (remainder !== 0 && remainder < 0 !== right < 0 ? 1 : 0);
  const floor = Math.floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}

function integerPower(base: bigint, exponent: bigint): PythonNumber | null {
  if (exponent < 0n) return floatPower(Number(base), Number(exponent));
  if (base >= -1n && base <= 1n) return base ** (base === -1n ? exponent % 2n : exponent > 0n ? 1n : 0n);
  return exponent * BigInt(bits(base)) > 1n << 20n ? null : base ** exponent;
}

function floatPower(base: number, exponent: number): number | null {
  if (base === 0 && exponent < 0) return null;
  if (base === 1) return 1;
  const value = base ** exponent;
  // not a number: complex in Python; infinite: an overflow there
  return isFinite(value) ? value : null;
}
