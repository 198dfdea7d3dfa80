/** The receptacle classes for an object class, by ALFWorld's affordances; names in lower case. */
import { canContain, objectClasses } from '../generate/affordances.ts';

const known = new Set(objectClasses.map((name) => name.toLowerCase()));

const takers = new Map<string, Set<string>>();
for (const [receptacle, objects] of Object.entries(canContain))
  for (const object of objects) {
    const name = object.toLowerCase();
    takers.set(name, (takers.get(name) ?? new Set()).add(receptacle.toLowerCase()));
  }

/** False if it certainly does not fit; an object class unknown to ALFWorld may fit anywhere. */
export function mayFit(object: string, receptacle: string): boolean {
  return !known.has(object) || (takers.get(object)?.has(receptacle) ?? false);
}
