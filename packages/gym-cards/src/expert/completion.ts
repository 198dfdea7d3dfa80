/**
 * Completes a formula: breadth-first over the allowed next tokens, so the result is as short as possible. A partial
 * formula is represented by its open brackets with their contents, not as text; equivalent ones are searched once.
 */
import type { PointsRules } from '../points-rules.ts';
import type { Token } from '../formula/token.ts';

/** Of four cards and fewer, so that doubles hold both exactly; lowest terms, the denominator positive. */
type Fraction = readonly [numerator: number, denominator: number];

/** The content of an open bracket: a sum, its last term apart, and the operator before the next number. */
interface Level {
  readonly sum: Fraction;
  readonly term: Fraction;
  readonly joins: string;
  readonly sign: 1 | -1;
  readonly isSum: boolean;
}

interface Begun {
  /** the innermost bracket last; the first is the formula itself */
  readonly levels: readonly Level[];
  readonly wantsNumber: boolean;
}

interface Found {
  readonly begun: Begun;
  readonly remaining: readonly number[];
  readonly tokens: readonly Token[];
  /** brackets opened here that are still open, and that may still be opened */
  readonly open: number;
  readonly brackets: number;
  /** a bracketed sum stands at the beginning of a term, so it must now be multiplied or divided to be useful */
  readonly wantsFactor: boolean;
}

/** A formula of n numbers needs at most as many brackets as inner operations; four numbers have two. */
const bracketsAtMost = 2;

/**
 * The shortest completion that reaches the target with every number used once; null if there is none within `longest`.
 */
export function completion(
  { target, operators, longest }: PointsRules,
  { numbers, formula }: { readonly numbers: readonly number[]; readonly formula: readonly Token[] },
): readonly Token[] | null {
  const begun = begunBy(formula);
  if (begun === null) return null;
  const remaining = withoutUsed(numbers, formula);
  const brackets = operators.includes('(') ? bracketsAtMost : 0;
  const start = { begun, remaining, brackets, open: 0, wantsFactor: false, tokens: [] };
  let found: readonly Found[] = [start];
  const seen = new Set<string>();
  for (let length = formula.length; length <= longest && found.length > 0; length++) {
    const done = found.find((each) => isWorth(each, target));
    if (done) return done.tokens;
    found = found
      .flatMap((each) => continued(each, operators))
      .filter((each) => isWorth(each, target) || (goesOn(each) && isNew(each, seen)));
  }
  return null;
}

/** The state of the tokens so far; null if no formula begins like that. */
function begunBy(formula: readonly Token[]): Begun | null {
  return formula
    .filter((token) => token !== ' ')
    .reduce<Begun | null>((begun, token) => begun && after(begun, token), {
      levels: [emptyLevel],
      wantsNumber: true,
    });
}

const emptyLevel: Level = { sum: [0, 1], term: [0, 1], joins: '+', sign: 1, isSum: false };

function withoutUsed(numbers: readonly number[], formula: readonly Token[]): number[] {
  const remaining = [...numbers].sort((left, right) => left - right);
  for (const token of formula) {
    const place = typeof token === 'number' ? remaining.indexOf(token) : -1;
    if (place >= 0) remaining.splice(place, 1);
  }
  return remaining;
}

function isWorth({ begun: { levels, wantsNumber }, remaining, wantsFactor }: Found, target: number): boolean {
  if (wantsNumber || wantsFactor || levels.length > 1 || remaining.length > 0) return false;
  const [numerator, denominator] = worthOf(levels[0]!);
  return numerator === target && denominator === 1;
}

function goesOn({ begun, remaining }: Found): boolean {
  return remaining.length > 0 || begun.levels.length > 1;
}

function continued(found: Found, operators: readonly string[]): Found[] {
  const numbers = found.begun.wantsNumber ? [...new Set(found.remaining)] : [];
  const signs = operators.filter((each) => each !== '=' && isOfUse(each, found));
  return [...numbers, ...signs].flatMap((token) => extended(found, token) ?? []);
}

function extended(found: Found, token: Token): Found | null {
  const { begun, remaining, tokens, open, brackets } = found;
  const next = after(begun, token);
  if (next === null) return null;
  const place = remaining.indexOf(token as number);
  const change = token === '(' ? 1 : token === ')' && open > 0 ? -1 : 0;
  return {
    begun: next,
    remaining: place < 0 ? remaining : remaining.toSpliced(place, 1),
    tokens: [...tokens, token],
    open: open + change,
    brackets: token === '(' ? brackets - 1 : brackets,
    wantsFactor: change < 0 && isTermBegun(begun.levels.at(-2)!),
  };
}

/** Whether the next token begins a term rather than multiplying or dividing one. */
function isTermBegun({ joins }: Level): boolean {
  return joins === '+' || joins === '-';
}

/**
 * Signs before a number are skipped: `a-b` and `b-a` cover them. Only sums get brackets, and only as a factor or
 * divisor.
 */
function isOfUse(operator: string, found: Found): boolean {
  const { begun, remaining, tokens, open, brackets, wantsFactor } = found;
  const level = begun.levels.at(-1)!;
  if (operator === '(') {
    const numbers = isTermBegun(level) ? 3 : 2;
    return begun.wantsNumber && brackets > 0 && remaining.length >= numbers && tokens.at(-1) !== '(';
  }
  if (begun.wantsNumber) return false;
  if (operator === ')') return begun.levels.length > 1 && !wantsFactor && (open === 0 || level.isSum);
  if (wantsFactor && operator !== '*' && operator !== '/') return false;
  return remaining.length > 0;
}

function isNew({ begun, remaining, open, brackets, wantsFactor }: Found, seen: Set<string>): boolean {
  let key = `${remaining};${open}${brackets}${begun.wantsNumber ? 'n' : ''}${wantsFactor ? 'f' : ''}`;
  for (const { sum, term, joins, sign, isSum } of begun.levels)
    key += `;${sum[0]}/${sum[1]} ${term[0]}/${term[1]}${joins}${sign}${isSum && open > 0 ? 's' : ''}`;
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

/** With one more token; null if it is not allowed there, or divides by zero. */
function after({ levels, wantsNumber }: Begun, token: Token): Begun | null {
  const last = levels.at(-1)!;
  const before = levels.slice(0, -1);
  if (typeof token === 'number') return wantsNumber ? joined(levels, [token, 1]) : null;
  if (token === '(') return wantsNumber ? { levels: [...levels, emptyLevel], wantsNumber } : null;
  if (token === ')') return wantsNumber || before.length === 0 ? null : joined(before, worthOf(last));
  if (!wantsNumber) return { levels: [...before, { ...last, joins: token }], wantsNumber: true };
  if (token === '+') return { levels, wantsNumber };
  return token === '-'
    ? { levels: [...before, { ...last, sign: last.sign === 1 ? -1 : 1 }], wantsNumber }
    : null;
}

function joined(levels: readonly Level[], value: Fraction): Begun | null {
  const last = withNumber(levels.at(-1)!, value);
  return last && { levels: [...levels.slice(0, -1), last], wantsNumber: false };
}

function withNumber(level: Level, [numerator, denominator]: Fraction): Level | null {
  const { sum, term, joins, sign, isSum } = level;
  const value: Fraction = [numerator * sign, denominator];
  const rest = { joins: '', sign: 1, isSum } as const;
  if (joins === '*') return { ...rest, sum, term: times(term, value) };
  if (joins === '/')
    return numerator === 0 ? null : { ...rest, sum, term: times(term, [value[1], value[0]]) };
  const signed = joins === '-' ? times(value, [-1, 1]) : value;
  return { ...rest, sum: plus(sum, term), term: signed, isSum: level !== emptyLevel };
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
  // no negative zero, which would have a different key
  return [numerator / divisor + 0, denominator / divisor];
}
