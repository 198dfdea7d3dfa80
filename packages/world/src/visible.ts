/**
 * The agent's view: the receptacles at its place, the contents of open ones, and the held object. Read from ALFWorld's
 * predicates; a game with other predicates shows nothing.
 */
import type { VisibleObject, VisibleReceptacle, VisibleState } from './frame/visible-state.ts';
import type { GameDefinition } from './game/game.ts';
import type { Relation, Tuple } from './pddl/relation.ts';
import { roomOf } from './room.ts';

export function visibleState(
  { task, names, classes }: GameDefinition,
  relations: readonly Relation[],
): VisibleState {
  const find = (predicate: string): Relation | undefined =>
    relations[task.vocabulary.relationOf.get(predicate) ?? -1];
  const matching = (predicate: string, position: number, object: number): readonly Tuple[] =>
    find(predicate)?.matching(position, object) ?? [];
  const is = (predicate: string, object: number): boolean => matching(predicate, 0, object).length > 0;

  const place = find('atlocation')?.tuples[0]?.terms[1];
  const held = find('holds')?.tuples[0]?.terms[1];
  const here = place === undefined ? [] : matching('receptacleatlocation', 1, place);
  const receptacles = find('receptacletype')?.tuples.map(({ terms }) => classes[terms[0]!]!) ?? [];
  return {
    facing: here.map(({ terms }) => showReceptacle(terms[0]!)),
    held: held === undefined ? null : showObject(held),
    room: roomOf(receptacles),
  };

  function showReceptacle(receptacle: number): VisibleReceptacle {
    const openable = is('openable', receptacle);
    const open = is('opened', receptacle);
    const contents = openable && !open ? [] : matching('inreceptacle', 1, receptacle);
    return {
      name: names[receptacle]!,
      class: classes[receptacle]!,
      openable,
      open,
      contents: contents.map(({ terms }) => showObject(terms[0]!)),
    };
  }

  function showObject(object: number): VisibleObject {
    return {
      name: names[object]!,
      class: classes[object]!,
      hot: is('ishot', object),
      cool: is('iscool', object),
      clean: is('isclean', object),
      sliced: is('issliced', object),
      on: is('ison', object),
    };
  }
}
