/**
 * Formulas as trees, by Python's grammar: `**` binds tighter than a sign on its left, but not on its right; `**` groups
 * from the right, all else from the left.
 */

export type Operator = '+' | '-' | '*' | '/' | '//' | '**';

export type Expression =
  | { readonly kind: 'number'; readonly value: bigint }
  | { readonly kind: 'negation'; readonly of: Expression }
  | {
      readonly kind: 'operation';
      readonly operator: Operator;
      readonly left: Expression;
      readonly right: Expression;
    };

/** A number, an operator or a bracket. */
export type Lexeme = bigint | string;

/** Operations on a kind of number; a missing operation, or null, means no value. */
export interface Arithmetic<T> {
  of(value: bigint): T;
  negated(value: T): T;
  readonly operations: Readonly<Partial<Record<Operator, (left: T, right: T) => T | null>>>;
}

/** Null unless the lexemes form a formula. */
export function expressionOf(lexemes: readonly Lexeme[]): Expression | null {
  let at = 0;
  const sum = (): Expression | null => chain(['+', '-'], product);
  const product = (): Expression | null => chain(['*', '/', '//'], signed);
  const chain = (operators: readonly Operator[], part: () => Expression | null): Expression | null => {
    let left = part();
    for (;;) {
      const operator = operators.find((each) => each === lexemes[at]);
      if (left === null || operator === undefined) return left;
      at++;
      left = operation(operator, left, part());
    }
  };
  const signed = (): Expression | null => {
    const sign = lexemes[at];
    if (sign !== '+' && sign !== '-') return power();
    at++;
    const of = signed();
    return of && sign === '-' ? { kind: 'negation', of } : of;
  };
  const power = (): Expression | null => {
    const base = atom();
    if (base === null || lexemes[at] !== '**') return base;
    at++;
    return operation('**', base, signed());
  };
  const atom = (): Expression | null => {
    const lexeme = lexemes[at++];
    if (typeof lexeme === 'bigint') return { kind: 'number', value: lexeme };
    const inside = lexeme === '(' ? sum() : null;
    return inside && lexemes[at++] === ')' ? inside : null;
  };
  const expression = sum();
  return at === lexemes.length ? expression : null;
}

function operation(operator: Operator, left: Expression, right: Expression | null): Expression | null {
  return right && { kind: 'operation', operator, left, right };
}

/** Null if some part has no value. */
export function valueOf<T>(expression: Expression, arithmetic: Arithmetic<T>): T | null {
  if (expression.kind === 'number') return arithmetic.of(expression.value);
  if (expression.kind === 'negation') {
    const value = valueOf(expression.of, arithmetic);
    return value === null ? null : arithmetic.negated(value);
  }
  const left = valueOf(expression.left, arithmetic);
  const right = valueOf(expression.right, arithmetic);
  if (left === null || right === null) return null;
  return arithmetic.operations[expression.operator]?.(left, right) ?? null;
}
