/**
 * Numbers for all names of a task: objects (in code-point order of their ids, so comparing numbers compares ids), types
 * with their members, and relations. Relations 0 … n−1 are the domain's predicates. Predicates changed by an action get
 * a partner `not_<name>`, which records false facts.
 */
import type { Domain } from './domain.ts';
import type { Problem } from './problem.ts';
import { damaged } from './s-expression.ts';
import type { Typed } from './typed-list.ts';

export interface RelationInfo {
  readonly name: string;
  readonly arity: number;
  /** changed by actions */
  readonly fluent: boolean;
  /** the relation of its false facts; −1 if it never changes */
  readonly negation: number;
}

export interface Vocabulary {
  readonly ids: readonly string[];
  readonly numberOf: ReadonlyMap<string, number>;
  /** each object's own type */
  readonly typeOf: readonly string[];
  /** members[type][object] is 1 if the object has the type or a subtype */
  readonly members: ReadonlyMap<string, Uint8Array>;
  readonly relations: readonly RelationInfo[];
  readonly relationOf: ReadonlyMap<string, number>;
}

const maximumMemberships = 10_000_000;

/** Numbers a domain and problem; duplicate objects and oversized predicates are `data` errors. */
export function makeVocabulary(domain: Domain, problem: Problem, place: string): Vocabulary {
  const objects = uniqueObjects([...domain.constants, ...problem.objects], place);
  const ids = objects.map(({ name }) => name);
  const typeOf = objects.map(({ type }) => type);
  const relations = makeRelations(domain);
  for (const { name, arity } of relations)
    if (Math.max(2, ids.length) ** arity > Number.MAX_SAFE_INTEGER)
      throw damaged(place, `predicate '${name}' has too many arguments (${arity}) for ${ids.length} objects`);
  return {
    ids,
    numberOf: new Map(ids.map((id, number) => [id, number])),
    typeOf,
    members: membersByType(domain.supertypes, typeOf, place),
    relations,
    relationOf: new Map(relations.map(({ name }, index) => [name, index])),
  };
}

function uniqueObjects(objects: readonly Typed[], place: string): readonly Typed[] {
  const sorted = [...objects].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const twice = sorted.find(({ name }, index) => index > 0 && sorted[index - 1]!.name === name);
  if (twice) throw damaged(place, `duplicate object '${twice.name}'`);
  return sorted;
}

function makeRelations(domain: Domain): RelationInfo[] {
  const changed = new Set(domain.actions.flatMap(({ effects }) => effects.map(({ predicate }) => predicate)));
  const fluents = [...domain.arities.keys()].filter((name) => changed.has(name));
  const offset = domain.arities.size;
  const positive = [...domain.arities].map(([name, arity]) => {
    const fluent = changed.has(name);
    return { name, arity, fluent, negation: fluent ? offset + fluents.indexOf(name) : -1 };
  });
  const negative = fluents.map((name) => {
    return { name: `not_${name}`, arity: domain.arities.get(name)!, fluent: true, negation: -1 };
  });
  return [...positive, ...negative];
}

function membersByType(
  supertypes: ReadonlyMap<string, string>,
  typeOf: readonly string[],
  place: string,
): Map<string, Uint8Array> {
  const members = new Map<string, Uint8Array>();
  const types = new Set([...supertypes.keys(), ...typeOf, 'object']);
  if (types.size * typeOf.length > maximumMemberships)
    throw damaged(place, `${types.size} types of ${typeOf.length} objects are too many`);
  for (const type of types) members.set(type, new Uint8Array(typeOf.length));
  typeOf.forEach((own, object) => {
    members.get('object')![object] = 1;
    const seen = new Set<string>();
    for (
      let type: string | undefined = own;
      type !== undefined && !seen.has(type);
      type = supertypes.get(type)
    ) {
      seen.add(type);
      const list = members.get(type);
      if (list) list[object] = 1;
    }
  });
  return members;
}
