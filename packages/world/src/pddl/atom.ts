/** Translates atoms and types of a condition into a vocabulary's numbers. */
import type { Literal } from './formula.ts';
import type { Condition, Term } from './query.ts';
import type { Relation } from './relation.ts';
import { damaged } from './s-expression.ts';
import type { Scope } from './scope.ts';
import type { Vocabulary } from './vocabulary.ts';

export interface PlanContext {
  readonly vocabulary: Vocabulary;
  /** the facts at the start, for the expected number of matches */
  readonly initial: readonly Relation[];
  /** names the condition in errors */
  readonly place: string;
}

/** An atom's condition; a constant if it names an object that does not exist. */
export function compileAtom(literal: Literal, scope: Scope, context: PlanContext): Condition {
  const relation = relationOf(literal.predicate, literal.terms.length, context);
  const terms = literal.terms.map((word) => scope.termOf(word, context.vocabulary, context.place));
  if (terms.includes(null)) return { kind: 'constant', value: literal.negated };
  const { fluent } = context.vocabulary.relations[relation]!;
  return { kind: 'atom', relation, negated: literal.negated, fluent, terms: terms as Term[] };
}

/** The number of a declared predicate; an unknown one or a wrong number of arguments is a `data` error. */
export function relationOf(predicate: string, arity: number, context: PlanContext): number {
  const relation = context.vocabulary.relationOf.get(predicate);
  if (relation === undefined) throw damaged(context.place, `predicate '${predicate}' is not declared`);
  const declared = context.vocabulary.relations[relation]!.arity;
  if (declared !== arity)
    throw damaged(context.place, `predicate '${predicate}' takes ${declared} argument(s), got ${arity}`);
  return relation;
}

/** The objects of a type; an undeclared type has none. */
export function candidatesOf(type: string, { vocabulary }: Pick<PlanContext, 'vocabulary'>): number[] {
  const members = vocabulary.members.get(type);
  return members ? vocabulary.ids.map((_, object) => object).filter((object) => members[object] === 1) : [];
}
