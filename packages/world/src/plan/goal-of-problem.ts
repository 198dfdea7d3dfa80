/**
 * The goal of a game, from its PDDL formula rather than the task sentence, which may have custom wording. Only the
 * forms of ALFWorld's six task types are known.
 */
import type { Goal, ObjectState } from '../expert/goal.ts';
import type { Formula, Literal } from '../pddl/formula.ts';

const stateOfPredicate: Readonly<Record<string, ObjectState>> = {
  isclean: 'clean',
  ishot: 'hot',
  iscool: 'cool',
};

const known = new Set([
  ...Object.keys(stateOfPredicate),
  ...['objecttype', 'receptacletype', 'inreceptacle', 'receptacleatlocation', 'atlocation', 'holds'],
  ...['cleanable', 'heatable', 'coolable', 'toggleable', 'istoggled'],
]);

/** Null for another form. */
export function goalOfProblem(formula: Formula): Goal | null {
  const literals = literalsIn(formula);
  if (!literals?.every(({ predicate }) => known.has(predicate))) return null;
  const find = (predicate: string, term?: string): Literal | undefined =>
    literals.find((each) => each.predicate === predicate && (term === undefined || each.terms[0] === term));
  const classOf = (predicate: string, variable: string | undefined): string | undefined =>
    find(predicate, variable)?.terms[1]?.replace(/type$/, '');

  const toggled = find('istoggled');
  if (toggled) {
    const object = classOf('objecttype', find('holds')?.terms[1]);
    const lamp = classOf('objecttype', toggled.terms[0]);
    return object === undefined || lamp === undefined ? null : { kind: 'look', object, lamp };
  }
  const inside = literals.filter(({ predicate }) => predicate === 'inreceptacle');
  const objects = [...new Set(inside.map(({ terms }) => terms[0]))];
  const object = classOf('objecttype', objects[0]);
  const receptacle = classOf('receptacletype', inside[0]?.terms[1]);
  const states = literals.flatMap(({ predicate }) => stateOfPredicate[predicate] ?? []);
  const count = objects.length;
  if (object === undefined || receptacle === undefined) return null;
  if (count > 2 || states.length > 1 || (count === 2 && states.length > 0)) return null;
  return { kind: 'place', object, receptacle, state: states[0] ?? null, count: count as 1 | 2 };
}

/** The atoms of a conjunction under existential quantifiers; null if there is anything besides inequalities. */
function literalsIn(formula: Formula): Literal[] | null {
  switch (formula.kind) {
    case 'and': {
      const parts = formula.parts.map(literalsIn);
      return parts.includes(null) ? null : (parts as Literal[][]).flat();
    }
    case 'exists':
      return literalsIn(formula.body);
    case 'atom':
      return formula.negated ? null : [formula];
    case 'equal':
      return formula.negated ? [] : null;
    default:
      return null;
  }
}
