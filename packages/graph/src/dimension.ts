/**
 * Arithmetic of dimensions. A symbolic dimension is a polynomial of symbols with integer coefficients, written as text:
 * '4*B', '32+T', 'B*(S+T)'. Two texts are the same dimension if they are the same polynomial. Other expressions, such
 * as 'floor((1+T)/2)', count as one symbol.
 */
type Dimension = number | string;

/** monomial ('' is the constant, else symbols sorted and joined by '*') → coefficient, never 0 */
type Polynomial = ReadonlyMap<string, number>;

export interface DimensionTerm {
  readonly factor: number;
  readonly symbols: readonly string[];
}

export function sameDimension(a: Dimension | undefined, b: Dimension | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined || (typeof a === 'number' && typeof b === 'number')) return false;
  return textOf(parsed(a)) === textOf(parsed(b));
}

export const addDimensions = (...dimensions: readonly Dimension[]): Dimension =>
  textOf(dimensions.map(parsed).reduce(sum));

export const multiplyDimensions = (...dimensions: readonly Dimension[]): Dimension =>
  textOf(dimensions.map(parsed).reduce(product));

export const subtractDimensions = (a: Dimension, b: Dimension): Dimension =>
  addDimensions(a, multiplyDimensions(-1, b));

/** ⌊a/b⌋ for a ≥ 0, b > 0; an indivisible rest stays as 'floor((…)/(b))'. */
export function divideDimensions(a: Dimension, b: Dimension): Dimension {
  if (typeof b !== 'number') return exactQuotient(a, b) ?? `floor((${a})/(${b}))`;
  // whole multiples of b leave the floor: ⌊(b·q + r)/b⌋ = q + ⌊r/b⌋
  const terms = [...parsed(a)];
  const whole = terms.map(([monomial, factor]) => {
    const divides = monomial === '' || factor % b === 0;
    return [monomial, divides ? Math.floor(factor / b) : 0] as const;
  });
  const rest = textOf(
    sum(new Map(terms), new Map(whole.map(([monomial, factor]) => [monomial, -b * factor]))),
  );
  const quotient = textOf(new Map(whole.filter(([, factor]) => factor !== 0)));
  return typeof rest === 'number' ? quotient : addDimensions(quotient, `floor((${rest})/(${b}))`);
}

/** a/b if b divides every term of a, else null. */
export function exactQuotient(a: Dimension, b: Dimension): Dimension | null {
  if (sameDimension(a, b)) return 1;
  const [divisor, ...others] = parsed(b);
  if (!divisor || others.length > 0) return null;
  const terms = [...parsed(a)].map((term) => termQuotient(term, divisor));
  return terms.every((term) => term !== null) ? textOf(new Map(terms)) : null;
}

/** The smallest value of a dimension with every symbol at least 1; −∞ if a term is negative. */
export function leastSize(dimension: Dimension): number {
  const sizes = dimensionTerms(dimension).map(({ factor, symbols }) => {
    if (symbols.length === 0) return factor;
    if (factor < 0) return -Infinity;
    return symbols.some((symbol) => floorOperands(symbol)) ? 0 : factor;
  });
  return sizes.reduce((a, b) => a + b, 0);
}

/** The terms of the polynomial, to compute a size at run time. */
export function dimensionTerms(dimension: Dimension): DimensionTerm[] {
  return [...parsed(dimension)].map(([monomial, factor]) => ({ factor, symbols: symbolsOf(monomial) }));
}

/** The operands of a symbol 'floor((a)/(b))', else null. */
export function floorOperands(symbol: string): readonly [string, string] | null {
  const inside = /^floor\((\(.*\)\/\(.*\))\)$/s.exec(symbol)?.[1];
  const parts = inside === undefined ? [] : splitOutside(inside, '/');
  return parts.length === 2 ? [parts[0]!.slice(1, -1), parts[1]!.slice(1, -1)] : null;
}

function termQuotient(
  [monomial, factor]: readonly [string, number],
  [divisor, divisorFactor]: readonly [string, number],
): readonly [string, number] | null {
  const rest = symbolsOf(monomial);
  for (const symbol of symbolsOf(divisor)) {
    const place = rest.indexOf(symbol);
    if (place < 0) return null;
    rest.splice(place, 1);
  }
  return factor % divisorFactor === 0 ? [rest.join('*'), factor / divisorFactor] : null;
}

const symbolsOf = (monomial: string): string[] => (monomial === '' ? [] : splitOutside(monomial, '*'));

function parsed(dimension: Dimension): Polynomial {
  if (typeof dimension === 'number') return new Map(dimension === 0 ? [] : [['', dimension]]);
  return splitOutside(dimension, '+')
    .map((term) => splitOutside(term, '*').map(parsedFactor).reduce(product))
    .reduce(sum);
}

function parsedFactor(text: string): Polynomial {
  if (/^-?\d+$/.test(text)) return parsed(Number(text));
  if (text.startsWith('(') && text.endsWith(')')) return parsed(text.slice(1, -1));
  return new Map([[text, 1]]);
}

/** Splits at a sign outside all brackets. */
function splitOutside(text: string, sign: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const character of text) {
    if (character === '(' || character === '[') depth++;
    if (character === ')' || character === ']') depth--;
    if (character === sign && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
}

function sum(a: Polynomial, b: Polynomial): Polynomial {
  const total = new Map(a);
  for (const [monomial, factor] of b) {
    const value = (total.get(monomial) ?? 0) + factor;
    if (value === 0) total.delete(monomial);
    else total.set(monomial, value);
  }
  return total;
}

function product(a: Polynomial, b: Polynomial): Polynomial {
  let total: Polynomial = new Map();
  for (const [left, leftFactor] of a)
    for (const [right, rightFactor] of b) {
      const monomial = [...symbolsOf(left), ...symbolsOf(right)].sort().join('*');
      total = sum(total, new Map([[monomial, leftFactor * rightFactor]]));
    }
  return total;
}

function textOf(polynomial: Polynomial): Dimension {
  const terms = [...polynomial].sort(([a], [b]) => (a < b ? -1 : 1));
  if (terms.length === 0) return 0;
  if (terms.length === 1 && terms[0]![0] === '') return terms[0]![1];
  return terms
    .map(([monomial, factor]) =>
      monomial === '' ? factor : factor === 1 ? monomial : `${factor}*${monomial}`,
    )
    .join('+');
}
