/** A domain and a problem put together: numbered objects, facts at the start, operators and the goal. */
import type { Domain } from './domain.ts';
import type { Formula } from './formula.ts';
import { compileOperator, relationsIn } from './operator.ts';
import type { Operator } from './operator.ts';
import { compileCondition } from './plan.ts';
import type { PlanContext } from './atom.ts';
import type { Problem } from './problem.ts';
import type { Condition } from './query.ts';
import { Relation } from './relation.ts';
import { damaged } from './s-expression.ts';
import { Scope } from './scope.ts';
import { makeVocabulary } from './vocabulary.ts';
import type { Vocabulary } from './vocabulary.ts';

export interface Task {
  readonly vocabulary: Vocabulary;
  /** facts at the start, by relation; those of fluents are copied before play */
  readonly initial: readonly Relation[];
  readonly operators: readonly Operator[];
  readonly goal: Condition;
  /** the goal as read */
  readonly goalFormula: Formula;
  readonly goalReads: ReadonlySet<number>;
  readonly goalSlots: number;
}

/** Compiles a task; unknown names, wrong numbers of arguments and duplicates are `data` errors. */
export function makeTask(domain: Domain, problem: Problem, place: string): Task {
  const vocabulary = makeVocabulary(domain, problem, place);
  const radix = vocabulary.ids.length;
  const initial = vocabulary.relations.map(({ name, arity }) => new Relation(name, arity, radix));
  const facts = initial.map((): number[][] => []);
  for (const fact of problem.init) {
    const { relation, terms } = initialFact(fact, vocabulary, place);
    facts[relation]!.push(terms);
  }
  initial.forEach((relation, index) => relation.fill(facts[index]!));
  const context: PlanContext = { vocabulary, initial, place };
  const goalContext = { ...context, place: `${place}, goal` };
  const scope = Scope.empty();
  return {
    vocabulary,
    initial,
    operators: domain.actions.map((schema) => compileOperator(schema, context)),
    goal: compileCondition(problem.goal, scope, goalContext),
    goalFormula: problem.goal,
    goalReads: relationsIn(problem.goal, goalContext),
    goalSlots: scope.slotCount,
  };
}

function initialFact(
  [predicate, ...words]: readonly string[],
  { relations, relationOf, numberOf }: Vocabulary,
  place: string,
): { relation: number; terms: number[] } {
  const relation = relationOf.get(predicate ?? '') ?? -1;
  if (relations[relation]?.name !== predicate || predicate === undefined)
    throw damaged(place, `initial fact with undeclared predicate '${predicate}'`);
  const { arity } = relations[relation]!;
  if (words.length !== arity)
    throw damaged(place, `initial fact '${predicate}' has ${words.length} argument(s), not ${arity}`);
  const terms = words.map((word) => {
    const object = numberOf.get(word);
    if (object === undefined) throw damaged(place, `initial fact '${predicate}' names unknown '${word}'`);
    return object;
  });
  return { relation, terms };
}

/** A fresh copy of the facts at the start: fluents copied, the rest shared. */
export function startFacts({ vocabulary, initial }: Task): Relation[] {
  return initial.map((relation, index) => (vocabulary.relations[index]!.fluent ? relation.copy() : relation));
}
