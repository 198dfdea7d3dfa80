/**
 * The order of a join, chosen once. Tests run as soon as their variables are bound; otherwise the positive atom with
 * the fewest expected matches at the start is next. Variables in no atom are tried one by one.
 */
import { candidatesOf, compileAtom, relationOf, type PlanContext } from './atom.ts';
import type { Formula } from './formula.ts';
import type { Condition, Query, QueryStep } from './query.ts';
import type { Scope, Variable } from './scope.ts';

/** A conjunct with its variables' scope. */
export interface Part {
  readonly formula: Formula;
  readonly scope: Scope;
}

export interface Conjunction {
  readonly variables: readonly Variable[];
  readonly parts: readonly Part[];
}

/** Compiles a formula whose free variables are all bound. */
export type Compile = (formula: Formula, scope: Scope, context: PlanContext) => Condition;

interface Pending {
  readonly part: Part;
  readonly slots: ReadonlySet<number>;
}

/** The steps that bind every variable of a conjunction and test every part. */
export function orderJoin({ variables, parts }: Conjunction, context: PlanContext, compile: Compile): Query {
  const unbound = new Map(variables.map(({ slot, type }) => [slot, type]));
  if (variables.some(({ type }) => candidatesOf(type, context).length === 0)) return never;
  let pending: Pending[] = parts.map((part) => {
    return { part, slots: part.scope.slotsIn(part.formula, context.place) };
  });
  const steps: QueryStep[] = [];
  for (;;) {
    const isReady = ({ slots }: Pending): boolean => ![...slots].some((slot) => unbound.has(slot));
    for (const { part } of pending.filter(isReady))
      steps.push({ kind: 'test', condition: compile(part.formula, part.scope, context) });
    pending = pending.filter((each) => !isReady(each));
    if (unbound.size === 0) return steps;
    const best = cheapest(pending, unbound, context);
    if (best) {
      const step = matchStep(best, unbound, context);
      if (!step) return never;
      steps.push(step);
      for (const slot of best.slots) unbound.delete(slot);
      pending = pending.filter((each) => each !== best);
    } else {
      const [slot, type] = [...unbound][0]!;
      steps.push({ kind: 'try', slot, candidates: candidatesOf(type, context) });
      unbound.delete(slot);
    }
  }
}

const never: Query = [{ kind: 'test', condition: { kind: 'constant', value: false } }];

function cheapest(
  pending: readonly Pending[],
  unbound: ReadonlyMap<number, string>,
  context: PlanContext,
): Pending | undefined {
  let best: Pending | undefined;
  let least = Infinity;
  for (const each of pending) {
    const { formula, scope } = each.part;
    if (formula.kind !== 'atom' || formula.negated) continue;
    const relation = context.initial[relationOf(formula.predicate, formula.terms.length, context)]!;
    let expected = relation.size;
    formula.terms.forEach((word, position) => {
      const isBound = !word.startsWith('?') || !unbound.has(scope.slotOf(word, context.place));
      if (isBound) expected /= Math.max(1, relation.distinct(position));
    });
    if (expected < least) [best, least] = [each, expected];
  }
  return best;
}

/** The step that binds an atom's variables; null if it names an object that does not exist. */
function matchStep(
  { part }: Pending,
  unbound: ReadonlyMap<number, string>,
  context: PlanContext,
): QueryStep | null {
  const { formula, scope } = part;
  const atom = formula.kind === 'atom' ? compileAtom(formula, scope, context) : undefined;
  if (atom?.kind !== 'atom') return null;
  const bound: number[] = [];
  const fresh: { position: number; slot: number; members: Uint8Array | null }[] = [];
  const repeated: number[] = [];
  atom.terms.forEach((term, position) => {
    const type = term < 0 ? undefined : unbound.get(term);
    if (type === undefined) bound.push(position);
    else if (fresh.some(({ slot }) => slot === term)) repeated.push(position);
    else {
      const members = type === 'object' ? null : context.vocabulary.members.get(type)!;
      fresh.push({ position, slot: term, members });
    }
  });
  return { kind: 'match', relation: atom.relation, terms: atom.terms, bound, fresh, repeated };
}
