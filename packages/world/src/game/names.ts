/**
 * Display names of objects. The class is the id up to the first `_bar_` (plus `basin` if the id contains it); instances
 * are numbered downwards in id order. An id without `_bar_` is its own name with a blank after it. Only objects in
 * initial facts are numbered.
 */
import type { Task } from '../pddl/task.ts';

export interface Names {
  /** by object number */
  readonly names: readonly string[];
  /** class by object number, lower case: 'apple', 'sinkbasin'; '' without one */
  readonly classes: readonly string[];
}

export function nameObjects({ vocabulary, initial }: Task): Names {
  const classes = vocabulary.ids.map(classOf);
  const used = new Set(initial.flatMap(({ tuples }) => tuples.flatMap(({ terms }) => terms)));
  const remaining = new Map<string, number>();
  for (const object of used) count(remaining, classes[object]!, 1);
  const names = vocabulary.ids.map((id, object) => {
    const own = classes[object]!;
    if (own === '') return `${id} `;
    if (!used.has(object)) return id;
    const number = remaining.get(own)!;
    count(remaining, own, -1);
    return `${own} ${number}`;
  });
  return { names, classes };
}

function classOf(id: string): string {
  const bar = id.indexOf('_bar_');
  if (bar < 0) return '';
  return id.slice(0, bar) + (id.includes('basin') ? 'basin' : '');
}

function count(counts: Map<string, number>, key: string, change: number): void {
  counts.set(key, (counts.get(key) ?? 0) + change);
}
