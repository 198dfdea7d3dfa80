/**
 * Compiled actions: queries that bind the parameters (slots 0 … k−1) so that the precondition holds, and effects over
 * the same slots. An action that would only add facts of its own precondition is never applicable (Fast Downward drops
 * such no-ops, like going to the current place).
 */
import type { ActionSchema } from './domain.ts';
import type { Formula, Literal } from './formula.ts';
import { candidatesOf, relationOf, type PlanContext } from './atom.ts';
import { compileCondition, compileQueries } from './plan.ts';
import { holds } from './query.ts';
import type { Bindings, Condition, FactBase, Query, Term, TypedSlot } from './query.ts';
import { damaged } from './s-expression.ts';
import { Scope } from './scope.ts';

export interface CompiledEffect {
  readonly deletes: boolean;
  readonly relation: number;
  readonly terms: readonly Term[];
  readonly condition: Condition | null;
  readonly slots: readonly TypedSlot[];
}

export interface Operator {
  readonly name: string;
  /** parameter names without the question mark; their slots are their positions */
  readonly parameters: readonly string[];
  readonly slotCount: number;
  readonly queries: readonly Query[];
  readonly effects: readonly CompiledEffect[];
  /** relations that the precondition mentions */
  readonly reads: ReadonlySet<number>;
  readonly isNoOperation: ((bindings: Bindings) => boolean) | null;
}

export interface Change {
  readonly deletes: boolean;
  readonly relation: number;
  readonly terms: readonly number[];
}

export function compileOperator(schema: ActionSchema, outer: PlanContext): Operator {
  const context = { ...outer, place: `${outer.place}, action ${schema.name}` };
  const { scope, added } = Scope.empty().extend(schema.parameters);
  const parts = [{ formula: schema.precondition, scope }];
  const effects = schema.effects.map((effect): CompiledEffect => {
    const relation = relationOf(effect.predicate, effect.terms.length, context);
    const { scope: inner, added: variables } = scope.extend(effect.variables);
    const terms = effect.terms.map((word) => inner.termOf(word, context.vocabulary, context.place));
    if (terms.includes(null))
      throw damaged(context.place, `effect on unknown object in '${effect.predicate}'`);
    const formula: Formula = { kind: 'and', parts: effect.conditions };
    return {
      deletes: effect.deletes,
      relation,
      terms: terms as Term[],
      condition: effect.conditions.length > 0 ? compileCondition(formula, inner, context) : null,
      slots: variables.map(({ slot, type }) => ({ slot, candidates: candidatesOf(type, context) })),
    };
  });
  const queries = compileQueries(added, parts, context);
  return {
    name: schema.name,
    parameters: schema.parameters.map(({ name }) => name.replace(/^\?/, '')),
    queries,
    effects,
    reads: relationsIn(schema.precondition, context),
    isNoOperation: noOperationCheck(schema, { scope, effects, context }),
    slotCount: scope.slotCount,
  };
}

/** Relations that a formula mentions. */
export function relationsIn(formula: Formula, context: PlanContext): ReadonlySet<number> {
  const found = new Set<number>();
  const visit = (part: Formula): void => {
    if (part.kind === 'and' || part.kind === 'or') part.parts.forEach(visit);
    else if (part.kind === 'exists' || part.kind === 'forall') visit(part.body);
    else if (part.kind === 'atom') found.add(relationOf(part.predicate, part.terms.length, context));
  };
  visit(formula);
  return found;
}

interface Atom {
  readonly relation: number;
  readonly terms: readonly Term[];
}

/** A check on bound parameters, or null if the action always has an effect. */
function noOperationCheck(
  schema: ActionSchema,
  { scope, effects, context }: { scope: Scope; effects: readonly CompiledEffect[]; context: PlanContext },
): ((bindings: Bindings) => boolean) | null {
  if (effects.some(({ condition, slots }) => condition !== null || slots.length > 0)) return null;
  const literals = topLiterals(schema.precondition);
  const atoms = (negated: boolean): Atom[] =>
    literals
      .filter((literal) => literal.negated === negated)
      .flatMap(({ predicate, terms }) => {
        const slots = terms.map((word) => scope.termOf(word, context.vocabulary, context.place));
        if (slots.includes(null)) return [];
        return [{ relation: relationOf(predicate, terms.length, context), terms: slots as Term[] }];
      });
  const [demanded, excluded] = [atoms(false), atoms(true)];
  const adds = effects.filter(({ deletes }) => !deletes);
  const deletes = effects.filter((effect) => effect.deletes);
  const mentions = (list: readonly Atom[], { relation }: Atom): boolean =>
    list.some((atom) => atom.relation === relation);
  const possible =
    adds.every((add) => mentions(demanded, add)) &&
    deletes.every((removed) => mentions(adds, removed) || mentions(excluded, removed));
  if (!possible) return null;
  return (bindings) =>
    adds.every((add) => demanded.some((atom) => isSame(atom, add, bindings))) &&
    deletes.every((removed) => [...adds, ...excluded].some((atom) => isSame(atom, removed, bindings)));
}

function topLiterals(formula: Formula): Literal[] {
  if (formula.kind === 'and') return formula.parts.flatMap(topLiterals);
  return formula.kind === 'atom' ? [formula] : [];
}

function isSame(left: Atom, right: Atom, bindings: Bindings): boolean {
  const value = (term: Term): number => (term < 0 ? ~term : bindings[term]!);
  return (
    left.relation === right.relation &&
    left.terms.every((term, index) => value(term) === value(right.terms[index]!))
  );
}

/** The changes an applicable action makes, judged on the facts before it; deletes and adds as declared. */
export function changesOf(
  effects: readonly CompiledEffect[],
  bindings: Bindings,
  base: FactBase,
): readonly Change[] {
  const changes: Change[] = [];
  for (const effect of effects) {
    const { deletes, relation, terms, condition, slots } = effect;
    const visit = (at: number): void => {
      const slot = slots[at];
      if (slot)
        for (const candidate of slot.candidates) {
          bindings[slot.slot] = candidate;
          visit(at + 1);
        }
      else if (condition === null || holds(condition, bindings, base))
        changes.push({
          deletes,
          relation,
          terms: terms.map((term) => (term < 0 ? ~term : bindings[term]!)),
        });
    };
    visit(0);
  }
  return changes;
}
