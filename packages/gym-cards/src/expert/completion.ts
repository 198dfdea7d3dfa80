/**
 * How a formula can be finished: breadth first over the tokens that may follow, so that what is found is as short as can be. A formula that
 * is begun is kept as open brackets with what stands in each, not as text, and what comes to the same is searched once.
 */
import type { PointsRules } from '../points-rules.ts';
import type { Token } from '../formula/token.ts';

/** Of four cards and fewer, so that doubles hold both exactly; lowest terms, the denominator positive. */
type Fraction = readonly [numerator: number, denominator: number];

/** What stands behind an open bracket: a sum, its last term apart, and how the next number joins them. */
interface Level {
  readonly sum: Fraction;
  readonly term: Fraction;
  readonly joins: string;
  readonly sign: 1 | -1;
}

interface Begun {
  /** the innermost bracket last; the first is the formula itself */
  readonly levels: readonly Level[];
  readonly wantsNumber: boolean;
}

interface Found {
  readonly begun: Begun;
  readonly remaining: readonly number[];
  readonly brackets: number;
  readonly tokens: readonly Token[];
}

/** A formula of n numbers never needs more brackets than its inner operations, of which four numbers have two. */
const bracketsAtMost = 2;

/** The fewest tokens that make the formula worth the target with every number used once; null where none do within `longest`. */
export function completion(
  { target, operators, longest }: PointsRules,
  { numbers, formula }: { readonly numbers: readonly number[]; readonly formula: readonly Token[] },
): readonly Token[] | null {
  const begun = begunBy(formula);
  if (begun === null) return null;
  const remaining = withoutUsed(numbers, formula);
  const brackets = operators.includes('(') ? bracketsAtMost : 0;
  let found: readonly Found[] = [{ begun, remaining, brackets, tokens: [] }];
  const seen = new Set<string>();
  for (let length = formula.length; length <= longest && found.length > 0; length++) {
    const done = found.find((each) => isWorth(each, target));
    if (done) return done.tokens;
    found = found.flatMap((each) => continued(each, operators)).filter((each) => isNew(each, seen));
  }
  return null;
}

/** What the tokens before the end amount to; null where no formula begins so. */
function begunBy(formula: readonly Token[]): Begun | null {
  return formula
    .filter((token) => token !== ' ')
    .reduce<Begun | null>((begun, token) => begun && after(begun, token), {
      levels: [emptyLevel],
      wantsNumber: true,
    });
}

const emptyLevel: Level = { sum: [0, 1], term: [0, 1], joins: '+', sign: 1 };

function withoutUsed(numbers: readonly number[], formula: readonly Token[]): number[] {
  const remaining = [...numbers].sort((left, right) => left - right);
  for (const token of formula) {
    const place = typeof token === 'number' ? remaining.indexOf(token) : -1;
    if (place >= 0) remaining.splice(place, 1);
  }
  return remaining;
}

function isWorth({ begun: { levels, wantsNumber }, remaining }: Found, target: number): boolean {
  if (wantsNumber || levels.length > 1 || remaining.length > 0) return false;
  const [numerator, denominator] = worthOf(levels[0]!);
  return numerator === target && denominator === 1;
}

function continued(found: Found, operators: readonly string[]): Found[] {
  const { begun, remaining, brackets, tokens } = found;
  const numbers = begun.wantsNumber ? [...new Set(remaining)] : [];
  const signs = operators.filter((each) => each !== '=' && isOfUse(each, found));
  return [...numbers, ...signs].flatMap((token) => {
    const next = after(begun, token);
    if (next === null) return [];
    const place = remaining.indexOf(token as number);
    return {
      begun: next,
      remaining: place < 0 ? remaining : remaining.toSpliced(place, 1),
      brackets: token === '(' ? brackets - 1 : brackets,
      tokens: [...tokens, token],
    };
  });
}

/** Signs before a number are left out: `a-b` and `b-a` give all that they could. */
function isOfUse(
  operator: string,
  { begun: { wantsNumber, levels }, remaining, brackets }: Found,
): boolean {
  if (operator === '(') return wantsNumber && brackets > 0 && remaining.length > 1;
  if (operator === ')') return !wantsNumber && levels.length > 1;
  return !wantsNumber && remaining.length > 0;
}

function isNew({ begun, remaining, brackets }: Found, seen: Set<string>): boolean {
  const levels = begun.levels.map(({ sum, term, joins, sign }) => `${sum} ${term} ${joins}${sign}`);
  const key = `${levels.join('(')};${remaining};${brackets};${begun.wantsNumber}`;
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

/** With one token more; null where it may not stand there, or would divide by zero. */
function after({ levels, wantsNumber }: Begun, token: Token): Begun | null {
  const last = levels.at(-1)!;
  const before = levels.slice(0, -1);
  if (typeof token === 'number') return wantsNumber ? joined(levels, [token, 1]) : null;
  if (token === '(') return wantsNumber ? { levels: [...levels, emptyLevel], wantsNumber } : null;
  if (token === ')') return wantsNumber || before.length === 0 ? null : joined(before, worthOf(last));
  if (!wantsNumber) return { levels: [...before, { ...last, joins: token }], wantsNumber: true };
  if (token === '+') return { levels, wantsNumber };
  return token === '-' ? { levels: [...before, { ...last, sign: last.sign === 1 ? -1 : 1 }], wantsNumber } : null;
}

function joined(levels: readonly Level[], value: Fraction): Begun | null {
  const last = withNumber(levels.at(-1)!, value);
  return last && { levels: [...levels.slice(0, -1), last], wantsNumber: false };
}

function withNumber({ sum, term, joins, sign }: Level, [numerator, denominator]: Fraction): Level | null {
  const value: Fraction = [numerator * sign, denominator];
  const level = { joins: '', sign: 1 } as const;
  if (joins === '*') return { ...level, sum, term: times(term, value) };
  if (joins === '/') return numerator === 0 ? null : { ...level, sum, term: times(term, [value[1], value[0]]) };
  const whole = plus(sum, term);
  return { ...level, sum: whole, term: joins === '-' ? times(value, [-1, 1]) : value };
}

function worthOf({ sum, term }: Level): Fraction {
  return plus(sum, term);
}

function plus(left: Fraction, right: Fraction): Fraction {
  return lowestTerms(left[0] * right[1] + right[0] * left[1], left[1] * right[1]);
}

function times(left: Fraction, right: Fraction): Fraction {
  return lowestTerms(left[0] * right[0], left[1] * right[1]);
}

function lowestTerms(numerator: number, denominator: number): Fraction {
  let [larger, smaller] = [Math.abs(numerator), Math.abs(denominator)];
  while (smaller !== 0) [larger, smaller] = [smaller, larger % smaller];
  const divisor = denominator < 0 ? -larger : larger;
  // no negative zero, which another text would stand for
  return [numerator / divisor + 0, denominator / divisor];
}
