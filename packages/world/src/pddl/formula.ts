/**
 * Conditions of PDDL (ADL subset: and, or, not, imply, exists, forall, =) in negation normal form: reading pushes `not`
 * down to atoms, so later stages see only signed atoms and equalities.
 */
import { damaged, shorten, wordsOf } from './s-expression.ts';
import type { Expression } from './s-expression.ts';
import { readTypedList } from './typed-list.ts';
import type { Typed } from './typed-list.ts';

export type Formula =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Formula[] }
  | { readonly kind: 'exists' | 'forall'; readonly variables: readonly Typed[]; readonly body: Formula }
  | Literal
  | {
      readonly kind: 'equal';
      readonly negated: boolean;
      readonly terms: readonly [string, string];
    };

export interface Literal {
  readonly kind: 'atom';
  readonly negated: boolean;
  readonly predicate: string;
  readonly terms: readonly string[];
}

/** Reads a condition; `place` names it in errors. An empty list is the condition that always holds. */
export function readFormula(expression: Expression, place: string, negated = false): Formula {
  if (typeof expression === 'string') throw damaged(place, `a condition cannot be the word '${expression}'`);
  if (expression.length === 0) return { kind: negated ? 'or' : 'and', parts: [] };
  const [head, ...rest] = expression;
  switch (head) {
    case 'and':
    case 'or':
      return {
        kind: (head === 'and') !== negated ? 'and' : 'or',
        parts: rest.map((part) => readFormula(part, place, negated)),
      };
    case 'not':
      return readFormula(operands(expression, 1, place)[0]!, place, !negated);
    case 'imply': {
      const [left, right] = operands(expression, 2, place);
      const parts = [readFormula(left!, place, !negated), readFormula(right!, place, negated)];
      return { kind: negated ? 'and' : 'or', parts };
    }
    case 'exists':
    case 'forall': {
      const [variables, body] = operands(expression, 2, place);
      return {
        kind: (head === 'exists') !== negated ? 'exists' : 'forall',
        variables: readTypedList(wordsOf(variables!, place), place),
        body: readFormula(body!, place, negated),
      };
    }
    case '=': {
      const [left, right] = wordsOf(operands(expression, 2, place), place);
      return { kind: 'equal', negated, terms: [left!, right!] };
    }
    default: {
      const [predicate, ...terms] = wordsOf(expression, place);
      return { kind: 'atom', negated, predicate: predicate!, terms };
    }
  }
}

/** The operands after an expression's head. */
function operands(whole: readonly Expression[], count: number, place: string): readonly Expression[] {
  if (whole.length !== count + 1) throw damaged(place, `needs ${count} operand(s): ${shorten(whole)}`);
  return whole.slice(1);
}
