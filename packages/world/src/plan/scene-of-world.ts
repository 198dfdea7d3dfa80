/** The scene that a plan starts from, read from a world's facts by ALFWorld's predicates. */
import type { ObjectState } from '../expert/goal.ts';
import type { GameDefinition } from '../game/game.ts';
import type { Relation, Tuple } from '../pddl/relation.ts';
import { goalOfProblem } from './goal-of-problem.ts';
import type { Scene, SceneObject, ScenePlace } from './scene.ts';

const stateFacts: readonly (readonly [ObjectState, is: string, can: string])[] = [
  ['clean', 'isclean', 'cleanable'],
  ['hot', 'ishot', 'heatable'],
  ['cool', 'iscool', 'coolable'],
];

/** Null if the goal has no known form. */
export function sceneOfWorld(definition: GameDefinition, relations: readonly Relation[]): Scene | null {
  const { task, names, playable } = definition;
  const { ids, relationOf } = task.vocabulary;
  const goal = goalOfProblem(task.goalFormula);
  if (!goal) return null;
  const facts = (predicate: string): readonly Tuple[] =>
    relations[relationOf.get(predicate) ?? -1]?.tuples ?? [];
  const matching = (predicate: string, position: number, object: number): readonly Tuple[] =>
    relations[relationOf.get(predicate) ?? -1]?.matching(position, object) ?? [];
  const is = (predicate: string, object: number): boolean => matching(predicate, 0, object).length > 0;
  const classOf = (predicate: string, object: number): string => {
    const type = matching(predicate, 0, object)[0]?.terms[1];
    return type === undefined ? '' : ids[type]!.replace(/type$/, '');
  };

  const placeOf = new Map(
    facts('receptacleatlocation').map(({ terms: [receptacle, location] }): [number, ScenePlace] => [
      receptacle!,
      {
        name: names[receptacle!]!,
        class: classOf('receptacletype', receptacle!),
        location: ids[location!]!,
        closed: is('openable', receptacle!) && !is('opened', receptacle!),
      },
    ]),
  );
  const objectOf = (object: number): SceneObject => ({
    name: names[object]!,
    class: classOf('objecttype', object),
    movable: is('pickupable', object),
    places: matching('inreceptacle', 0, object).flatMap(({ terms }) => placeOf.get(terms[1]!) ?? []),
    states: new Set(stateFacts.flatMap(([state, fact]) => (is(fact, object) ? [state] : []))),
    treatable: new Set(stateFacts.flatMap(([state, , fact]) => (is(fact, object) ? [state] : []))),
    used: is('istoggled', object) && is('toggleable', object),
  });
  const heldObject = facts('holds')[0]?.terms[1];
  const held = heldObject === undefined ? null : objectOf(heldObject);
  const wanted = goal.kind === 'look' ? [goal.object, goal.lamp] : [goal.object];
  const objects = facts('objecttype').flatMap(({ terms: [object, type] }) => {
    if (!wanted.includes(ids[type!]!.replace(/type$/, ''))) return [];
    return [object === heldObject ? held! : objectOf(object!)];
  });
  const location = facts('atlocation')[0]?.terms[1];
  const put = playable.find(({ operator }) => operator.name === 'putobject');
  return {
    goal,
    places: [...placeOf.values()],
    objects,
    location: location === undefined ? null : ids[location]!,
    held,
    takes: (placeClass, objectClass) => {
      const type = task.vocabulary.numberOf.get(`${objectClass}type`);
      if (type === undefined) return false;
      return matching('cancontain', 1, type).some(({ terms }) => ids[terms[0]!] === `${placeClass}type`);
    },
    dialect: put?.template.startsWith('put') ? 'put' : 'move',
  };
}
