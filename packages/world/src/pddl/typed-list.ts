/** PDDL's typed lists, `a b - kind c - other d`: words before a dash share the type after it. */
import { damaged } from './s-expression.ts';

export interface Typed {
  readonly name: string;
  readonly type: string;
}

/** Reads a typed list; words without a type are of type `object`. */
export function readTypedList(words: readonly string[], place: string): Typed[] {
  const typed: Typed[] = [];
  let waiting: string[] = [];
  for (let at = 0; at < words.length; at++) {
    if (words[at] !== '-') {
      waiting.push(words[at]!);
      continue;
    }
    const type = words[++at];
    if (type === undefined) throw damaged(place, 'a typed list ends in a dash');
    for (const name of waiting) typed.push({ name, type });
    waiting = [];
  }
  for (const name of waiting) typed.push({ name, type: 'object' });
  return typed;
}
