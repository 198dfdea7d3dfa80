/**
 * Solutions of the grammar's conditions over the current facts: atoms from left to right, facts in argument order,
 * types equal to the objects' own. Two variables never stand for the same object.
 */
import type { Relation, Tuple } from '../pddl/relation.ts';
import type { Vocabulary } from '../pddl/vocabulary.ts';
import type { ConditionAtom } from './text.ts';

export type TextBindings = Map<string, number>;

export interface SolveContext {
  readonly vocabulary: Vocabulary;
  readonly facts: readonly Relation[];
  /** called once per attempt; throws when it has been too many */
  readonly spend: () => void;
}

export interface Search {
  /** filled with each solution, and as before afterwards */
  readonly bindings: TextBindings;
  readonly context: SolveContext;
  readonly visit: () => boolean;
}

/** Calls `visit` for every solution until it returns true; returns whether it did. */
export function solve(condition: readonly ConditionAtom[], { bindings, context, visit }: Search): boolean {
  return solveFrom(0);

  function solveFrom(at: number): boolean {
    const atom = condition[at];
    if (!atom) return visit();
    const { vocabulary, facts, spend } = context;
    const relation = facts[vocabulary.relationOf.get(atom.predicate) ?? -1];
    if (!relation || relation.arity !== atom.variables.length) return false;
    for (const { terms } of candidates(relation, atom, bindings)) {
      spend();
      const fresh: string[] = [];
      const stopped = bind(atom, terms, { bindings, fresh, vocabulary }) && solveFrom(at + 1);
      for (const name of fresh) bindings.delete(name);
      if (stopped) return true;
    }
    return false;
  }
}

/** The shortest list of facts that agree with one of the bound variables. */
function candidates(relation: Relation, atom: ConditionAtom, bindings: TextBindings): readonly Tuple[] {
  let best = relation.tuples;
  for (let position = 0; position < atom.variables.length; position++) {
    const object = bindings.get(atom.variables[position]!.name);
    if (object === undefined) continue;
    const matching = relation.matching(position, object);
    if (matching.length < best.length) best = matching;
  }
  return best;
}

interface Binding {
  readonly bindings: TextBindings;
  /** the names this attempt binds */
  readonly fresh: string[];
  readonly vocabulary: Vocabulary;
}

function bind(
  atom: ConditionAtom,
  terms: readonly number[],
  { bindings, fresh, vocabulary }: Binding,
): boolean {
  for (let position = 0; position < terms.length; position++) {
    const { name, type } = atom.variables[position]!;
    const object = terms[position]!;
    if (vocabulary.typeOf[object] !== type) return false;
    const bound = bindings.get(name);
    if (bound === undefined) {
      for (const other of bindings.values()) if (other === object) return false;
      bindings.set(name, object);
      fresh.push(name);
    } else if (bound !== object) return false;
  }
  return true;
}
