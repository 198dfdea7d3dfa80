/**
 * A PDDL domain: types, predicates, actions. Costs (`increase`), functions and requirements have no influence
 * on play and are read over; derived predicates are refused.
 */
import { readEffects } from './effect.ts';
import type { Effect } from './effect.ts';
import { readFormula } from './formula.ts';
import type { Formula } from './formula.ts';
import { damaged, readExpression, shorten, wordsOf } from './s-expression.ts';
import type { Expression } from './s-expression.ts';
import { readTypedList } from './typed-list.ts';
import type { Typed } from './typed-list.ts';

export interface ActionSchema {
  readonly name: string;
  readonly parameters: readonly Typed[];
  readonly precondition: Formula;
  readonly effects: readonly Effect[];
}

export interface Domain {
  readonly name: string;
  /** type → its direct supertype; `object` is the root */
  readonly supertypes: ReadonlyMap<string, string>;
  readonly constants: readonly Typed[];
  /** predicate → number of arguments */
  readonly arities: ReadonlyMap<string, number>;
  readonly actions: readonly ActionSchema[];
}

const readOver = new Set([':requirements', ':functions']);

/** Reads a domain; a fault is an error of code `data` that names `place`. */
export function readDomain(text: string, place: string): Domain {
  const [define, header, ...sections] = readExpression(text, place);
  if (define !== 'define' || !header) throw damaged(place, "must start with 'define'");
  const [kind, name] = wordsOf(header, place);
  if (kind !== 'domain' || name === undefined) throw damaged(place, "must start with '(define (domain …)'");
  const supertypes = new Map<string, string>();
  const constants: Typed[] = [];
  const arities = new Map<string, number>();
  const actions: ActionSchema[] = [];
  for (const section of sections) {
    if (typeof section === 'string') throw damaged(place, `unexpected word '${section}'`);
    const [head, ...rest] = section;
    if (head === ':types')
      for (const { name: type, type: parent } of readTypedList(wordsOf(rest, place), place))
        supertypes.set(type, parent);
    else if (head === ':constants') constants.push(...readTypedList(wordsOf(rest, place), place));
    else if (head === ':predicates') for (const predicate of rest) addPredicate(arities, predicate, place);
    else if (head === ':action') actions.push(readAction(rest, place));
    else if (typeof head !== 'string' || !readOver.has(head))
      throw damaged(place, `section ${shorten(head ?? [])} is not supported`);
  }
  return { name, supertypes, constants, arities, actions };
}

function addPredicate(arities: Map<string, number>, expression: Expression, place: string): void {
  const [name, ...parameters] = wordsOf(expression, place);
  if (name === undefined) throw damaged(place, 'a predicate has no name');
  if (arities.has(name)) throw damaged(place, `predicate '${name}' is declared twice`);
  arities.set(name, readTypedList(parameters, place).length);
}

function readAction(rest: readonly Expression[], place: string): ActionSchema {
  const [name, ...pairs] = rest;
  if (typeof name !== 'string') throw damaged(place, 'an action has no name');
  const at = `${place}, action ${name}`;
  const parts = new Map<Expression, Expression>();
  for (let i = 0; i < pairs.length; i += 2) {
    if (pairs[i + 1] === undefined) throw damaged(at, `${shorten(pairs[i]!)} has no value`);
    parts.set(pairs[i]!, pairs[i + 1]!);
  }
  return {
    name,
    parameters: readTypedList(wordsOf(parts.get(':parameters') ?? [], at), at),
    precondition: readFormula(parts.get(':precondition') ?? [], at),
    effects: readEffects(parts.get(':effect') ?? [], at),
  };
}
