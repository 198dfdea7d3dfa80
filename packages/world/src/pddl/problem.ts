/** A PDDL problem: objects, initial facts and the goal. Numeric entries (`=`) and the metric are read over. */
import { readFormula } from './formula.ts';
import type { Formula } from './formula.ts';
import { damaged, readExpression, shorten, wordsOf } from './s-expression.ts';
import { readTypedList } from './typed-list.ts';
import type { Typed } from './typed-list.ts';

export interface Problem {
  readonly name: string;
  readonly objects: readonly Typed[];
  /** predicate and arguments */
  readonly init: readonly (readonly string[])[];
  readonly goal: Formula;
}

/** Reads a problem; a fault is an error of code `data` that names `place`. */
export function readProblem(text: string, place: string): Problem {
  const [define, header, ...sections] = readExpression(text, place);
  if (define !== 'define' || !header) throw damaged(place, "must start with 'define'");
  const [kind, name] = wordsOf(header, place);
  if (kind !== 'problem' || name === undefined) throw damaged(place, "must start with '(define (problem …)'");
  const objects: Typed[] = [];
  const init: (readonly string[])[] = [];
  let goal: Formula | undefined;
  for (const section of sections) {
    if (typeof section === 'string') throw damaged(place, `unexpected word '${section}'`);
    const [head, ...rest] = section;
    if (head === ':objects')
      for (const typed of readTypedList(wordsOf(rest, place), place)) objects.push(typed);
    else if (head === ':init') {
      for (const fact of rest) if (fact[0] !== '=') init.push(wordsOf(fact, place));
    } else if (head === ':goal') goal = readFormula(rest[0] ?? [], `${place}, goal`);
    else if (head !== ':domain' && head !== ':metric' && head !== ':requirements')
      throw damaged(place, `section ${shorten(head ?? [])} is not supported`);
  }
  if (!goal) throw damaged(place, 'has no goal');
  return { name, objects, init, goal };
}
