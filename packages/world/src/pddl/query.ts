/**
 * Compiled conditions over numbered facts. A query is a fixed list of steps that bind variables in sequence (match
 * facts, try the members of a type, test a condition): a join in the order chosen by `plan.ts`. Variables are slots of
 * one array of object numbers.
 */
import { EmacError } from '@emac/core';
import type { Relation } from './relation.ts';

/** A slot (≥ 0) or an object (`~object`, < 0). */
export type Term = number;

export type Condition =
  | { readonly kind: 'constant'; readonly value: boolean }
  | {
      readonly kind: 'atom';
      readonly relation: number;
      readonly negated: boolean;
      readonly fluent: boolean;
      readonly terms: readonly Term[];
    }
  | { readonly kind: 'equal'; readonly negated: boolean; readonly left: Term; readonly right: Term }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly kind: 'exists'; readonly query: Query }
  | { readonly kind: 'forall'; readonly slots: readonly TypedSlot[]; readonly body: Condition };

export interface TypedSlot {
  readonly slot: number;
  readonly candidates: readonly number[];
}

export type QueryStep =
  | {
      readonly kind: 'match';
      readonly relation: number;
      readonly terms: readonly Term[];
      /** argument positions already bound when the step runs */
      readonly bound: readonly number[];
      /** argument positions that this step binds, with the objects allowed there (null: any) */
      readonly fresh: readonly { position: number; slot: number; members: Uint8Array | null }[];
      /** positions that repeat a variable bound by this step */
      readonly repeated: readonly number[];
    }
  | ({ readonly kind: 'try' } & TypedSlot)
  | { readonly kind: 'test'; readonly condition: Condition };

export type Query = readonly QueryStep[];

/** The facts for queries. `relaxed`: negated facts that actions can change count as true. */
export interface FactBase {
  readonly relations: readonly Relation[];
  readonly relaxed: boolean;
  /** bindings tried so far in this run; bounded, so that a hostile file cannot stall its reader */
  work: number;
}

const maximumWork = 5_000_000;

export type Bindings = Int32Array;

function valueOf(term: Term, bindings: Bindings): number {
  return term < 0 ? ~term : bindings[term]!;
}

/** The key of the atom's arguments in its relation; all its variables must be bound. */
function keyOf(relation: Relation, terms: readonly Term[], bindings: Bindings): number {
  let key = 0;
  for (let i = 0; i < terms.length; i++) key = relation.extendKey(key, valueOf(terms[i]!, bindings));
  return key;
}

/** Whether a condition holds; all its outer variables must be bound. */
export function holds(condition: Condition, bindings: Bindings, base: FactBase): boolean {
  switch (condition.kind) {
    case 'constant':
      return condition.value;
    case 'atom': {
      if (condition.negated && condition.fluent && base.relaxed) return true;
      const relation = base.relations[condition.relation]!;
      return relation.has(keyOf(relation, condition.terms, bindings)) !== condition.negated;
    }
    case 'equal':
      return (valueOf(condition.left, bindings) === valueOf(condition.right, bindings)) !== condition.negated;
    case 'and':
      return condition.parts.every((part) => holds(part, bindings, base));
    case 'or':
      return condition.parts.some((part) => holds(part, bindings, base));
    case 'exists':
      return run(condition.query, { bindings, base, visit: () => true });
    case 'forall':
      return holdsForAll(condition, bindings, base);
  }
}

function holdsForAll(
  { slots, body }: Extract<Condition, { kind: 'forall' }>,
  bindings: Bindings,
  base: FactBase,
): boolean {
  const everyMember = (at: number): boolean => {
    const slot = slots[at];
    if (!slot) return holds(body, bindings, base);
    return slot.candidates.every((candidate) => {
      spend(base);
      bindings[slot.slot] = candidate;
      return everyMember(at + 1);
    });
  };
  return everyMember(0);
}

export interface Join {
  /** filled with each solution */
  readonly bindings: Bindings;
  /** its facts must not change meanwhile */
  readonly base: FactBase;
  readonly visit: () => boolean;
}

/** Calls `visit` for every solution until it returns true; returns whether it did. */
export function run(query: Query, join: Join): boolean {
  return runFrom(query, 0, join);
}

function runFrom(query: Query, at: number, join: Join): boolean {
  if (at === query.length) return join.visit();
  const { bindings, base } = join;
  const step = query[at]!;
  if (step.kind === 'test') return holds(step.condition, bindings, base) && runFrom(query, at + 1, join);
  if (step.kind === 'try') {
    for (const candidate of step.candidates) {
      spend(base);
      bindings[step.slot] = candidate;
      if (runFrom(query, at + 1, join)) return true;
    }
    return false;
  }
  const relation = base.relations[step.relation]!;
  let facts = relation.tuples;
  for (const position of step.bound) {
    const matching = relation.matching(position, valueOf(step.terms[position]!, bindings));
    if (matching.length < facts.length) facts = matching;
  }
  next: for (let i = 0; i < facts.length; i++) {
    spend(base);
    const { terms } = facts[i]!;
    if (step.bound.length > 1)
      for (const position of step.bound)
        if (terms[position] !== valueOf(step.terms[position]!, bindings)) continue next;
    for (const { position, slot, members } of step.fresh) {
      const value = terms[position]!;
      if (members && members[value] !== 1) continue next;
      bindings[slot] = value;
    }
    for (const position of step.repeated)
      if (terms[position] !== valueOf(step.terms[position]!, bindings)) continue next;
    if (runFrom(query, at + 1, join)) return true;
  }
  return false;
}

function spend(base: FactBase): void {
  if (++base.work > maximumWork)
    throw new EmacError('data', `a condition of the game needs more than ${maximumWork} tries to evaluate`);
}
