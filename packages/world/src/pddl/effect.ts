/** Effects of PDDL actions (and, not, when, forall; `increase` is read over), flattened to signed atoms. */
import { readFormula } from './formula.ts';
import type { Formula } from './formula.ts';
import { damaged, shorten, wordsOf } from './s-expression.ts';
import type { Expression } from './s-expression.ts';
import { readTypedList } from './typed-list.ts';
import type { Typed } from './typed-list.ts';

export interface Effect {
  /** true: the atom becomes false */
  readonly deletes: boolean;
  readonly predicate: string;
  readonly terms: readonly string[];
  /** judged in the state before the action; none of them: always */
  readonly conditions: readonly Formula[];
  /** variables of enclosing `forall`s */
  readonly variables: readonly Typed[];
}

type Around = Pick<Effect, 'conditions' | 'variables'>;

/** Reads the effect of an action in the order written. */
export function readEffects(expression: Expression, place: string): Effect[] {
  const effects: Effect[] = [];
  collect(expression, { conditions: [], variables: [] });
  return effects;

  function collect(part: Expression, around: Around): void {
    if (typeof part === 'string') throw damaged(place, `an effect cannot be the word '${part}'`);
    const [head, first, second] = part;
    if (head === undefined || head === 'increase') return;
    if (head === 'and') for (const inner of part.slice(1)) collect(inner, around);
    else if (head === 'not') add(wordsOf(first ?? [], place), true, around);
    else if (head === 'when' || head === 'forall') {
      if (first === undefined || second === undefined)
        throw damaged(place, `incomplete effect ${shorten(part)}`);
      collect(
        second,
        head === 'when'
          ? { ...around, conditions: [...around.conditions, readFormula(first, place)] }
          : { ...around, variables: [...around.variables, ...readTypedList(wordsOf(first, place), place)] },
      );
    } else add(wordsOf(part, place), false, around);
  }

  function add([predicate, ...terms]: readonly string[], deletes: boolean, around: Around): void {
    if (predicate === undefined) throw damaged(place, 'an effect has no predicate');
    effects.push({ deletes, predicate, terms, ...around });
  }
}
