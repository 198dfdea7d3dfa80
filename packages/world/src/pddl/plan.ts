/**
 * Compiles conditions to queries. Conjunctions are joined in a greedy order (tests as soon as their variables are
 * bound, else the atom with the fewest expected matches at the start). Existential quantifiers become further
 * variables. A disjunction splits the query if it alone binds a variable.
 */
import type { Formula } from './formula.ts';
import { candidatesOf, compileAtom, type PlanContext } from './atom.ts';
import { orderJoin, type Conjunction, type Part } from './join-order.ts';
import type { Condition, Query } from './query.ts';
import { damaged } from './s-expression.ts';
import type { Scope, Variable } from './scope.ts';

const maximumBranches = 64;

/** A condition whose free variables are all bound by `scope` when it runs. */
export function compileCondition(formula: Formula, scope: Scope, context: PlanContext): Condition {
  switch (formula.kind) {
    case 'and':
    case 'or':
      return {
        kind: formula.kind,
        parts: formula.parts.map((part) => compileCondition(part, scope, context)),
      };
    case 'exists': {
      const queries = compileQueries([], [{ formula, scope }], context);
      return { kind: 'or', parts: queries.map((query) => ({ kind: 'exists', query })) };
    }
    case 'forall': {
      const { scope: inner, added } = scope.extend(formula.variables);
      const slots = added.map(({ slot, type }) => ({ slot, candidates: candidatesOf(type, context) }));
      return { kind: 'forall', slots, body: compileCondition(formula.body, inner, context) };
    }
    case 'equal': {
      const [left, right] = formula.terms.map((word) =>
        scope.termOf(word, context.vocabulary, context.place),
      );
      if (left == null || right == null) {
        const same = formula.terms[0] === formula.terms[1];
        return { kind: 'constant', value: same !== formula.negated };
      }
      return { kind: 'equal', negated: formula.negated, left, right };
    }
    case 'atom':
      return compileAtom(formula, scope, context);
  }
}

/**
 * Queries whose solutions together are all bindings of `variables` (already in the parts' scopes) that satisfy every
 * part. One query unless a disjunction is split; solutions may repeat.
 */
export function compileQueries(
  variables: readonly Variable[],
  parts: readonly Part[],
  context: PlanContext,
): readonly Query[] {
  return branches(flatten({ variables, parts }), context).map((branch) =>
    orderJoin(branch, context, compileCondition),
  );
}

/** Lifts `and` and `exists` to the top. */
function flatten({ variables, parts }: Conjunction): Conjunction {
  const allVariables = [...variables];
  const flat: Part[] = [];
  const visit = ({ formula, scope }: Part): void => {
    if (formula.kind === 'and') for (const part of formula.parts) visit({ formula: part, scope });
    else if (formula.kind === 'exists') {
      const { scope: inner, added } = scope.extend(formula.variables);
      allVariables.push(...added);
      visit({ formula: formula.body, scope: inner });
    } else flat.push({ formula, scope });
  };
  for (const part of parts) visit(part);
  return { variables: allVariables, parts: flat };
}

/** Splits disjunctions as long as some variable occurs in no positive atom. */
function branches(conjunction: Conjunction, context: PlanContext): readonly Conjunction[] {
  const done: Conjunction[] = [];
  const waiting = [conjunction];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const split = next.parts.findIndex(({ formula }) => formula.kind === 'or');
    if (split < 0 || isCovered(next, context)) {
      done.push(next);
      continue;
    }
    const { formula, scope } = next.parts[split]!;
    if (formula.kind !== 'or') continue;
    for (const alternative of formula.parts) {
      const parts = next.parts.with(split, { formula: alternative, scope });
      waiting.push(flatten({ variables: next.variables, parts }));
    }
    if (waiting.length + done.length > maximumBranches)
      throw damaged(context.place, `more than ${maximumBranches} alternatives`);
  }
  return done;
}

function isCovered({ variables, parts }: Conjunction, context: PlanContext): boolean {
  const covered = new Set<number>();
  for (const { formula, scope } of parts)
    if (formula.kind === 'atom' && !formula.negated)
      for (const slot of scope.slotsIn(formula, context.place)) covered.add(slot);
  return variables.every(({ slot }) => covered.has(slot));
}
