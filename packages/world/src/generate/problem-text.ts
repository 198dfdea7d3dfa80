/**
 * The PDDL problem of a generated game, in the shape of ALFWorld's `initial_state.pddl`: the same order of
 * objects and the same predicates. `canContain` is stated once per pair of classes, where the originals
 * repeat it per receptacle.
 */
import { canContain, objectClasses, propertyClasses, receptacleClasses } from './affordances.ts';
import type { GameTask } from './choose-task.ts';
import type { PlacedObject } from './furnish.ts';
import type { TaskType } from '../task-type.ts';

export interface ProblemScene {
  /** the trial's name, e.g. 'trial_builtin_train_0042' */
  readonly trial: string;
  readonly task: GameTask;
  readonly objects: readonly PlacedObject[];
  /** the agent's location, free of receptacles */
  readonly start: string;
}

/** The problem as PDDL text. */
export function problemText(scene: ProblemScene): string {
  const section = (lines: readonly string[]): string => lines.map((line) => `        ${line}\n`).join('');
  return (
    `(define (problem plan_${scene.trial})\n(:domain alfred)\n` +
    `(:objects\n${section(declarations(scene))})\n` +
    `(:init\n${section(facts(scene))})\n` +
    `(:goal ${goalText(scene.task)})\n)\n`
  );
}

function declarations({ task, objects }: ProblemScene): string[] {
  const { receptacles, freeLocations } = task.room;
  const locations = new Set([...receptacles.map((receptacle) => receptacle.location), ...freeLocations]);
  return [
    'agent1 - agent',
    ...objectClasses.map((name) => `${name} - object`),
    ...objectClasses.map((name) => `${name}Type - otype`),
    ...receptacleClasses.map((name) => `${name}Type - rtype`),
    ...objects.map((object) => `${object.id} - object`),
    ...receptacles.map((receptacle) => `${receptacle.id} - receptacle`),
    ...[...locations].map((location) => `${location} - location`),
  ];
}

function facts({ task, objects, start }: ProblemScene): string[] {
  const { receptacles } = task.room;
  const property = (name: keyof typeof propertyClasses): string[] =>
    objects.filter((object) => propertyClasses[name].includes(object.class)).map((o) => `(${name} ${o.id})`);
  return [
    ...receptacles.map((receptacle) => `(receptacleType ${receptacle.id} ${receptacle.class}Type)`),
    ...objects.map((object) => `(objectType ${object.id} ${object.class}Type)`),
    ...containment(task, objects),
    ...property('pickupable'),
    ...property('isReceptacleObject'),
    ...receptacles
      .filter((receptacle) => receptacle.openable)
      .map((receptacle) => `(openable ${receptacle.id})`),
    `(atLocation agent1 ${start})`,
    ...property('cleanable'),
    ...property('heatable'),
    ...property('coolable'),
    ...objects.filter((object) => object.cool).map((object) => `(isCool ${object.id})`),
    ...property('toggleable'),
    ...property('sliceable'),
    ...objects.flatMap((object) => object.places.map((place) => `(inReceptacle ${object.id} ${place.id})`)),
    ...receptacles.map((receptacle) => `(receptacleAtLocation ${receptacle.id} ${receptacle.location})`),
    ...objects.map((object) => `(objectAtLocation ${object.id} ${object.location})`),
  ];
}

function containment(task: GameTask, objects: readonly PlacedObject[]): string[] {
  const present = new Set(objects.map((object) => object.class));
  const receptacles = new Set(task.room.receptacles.map((receptacle) => receptacle.class));
  return [...receptacles].flatMap((receptacle) =>
    (canContain[receptacle] ?? [])
      .filter((name) => present.has(name))
      .map((name) => `(canContain ${receptacle}Type ${name}Type)`),
  );
}

const changed: Readonly<Partial<Record<TaskType, string>>> = {
  pick_clean_then_place_in_recep: '(cleanable ?o) (isClean ?o) ',
  pick_heat_then_place_in_recep: '(heatable ?o) (isHot ?o) ',
  pick_cool_then_place_in_recep: '(coolable ?o) (isCool ?o) ',
};

function goalText({ type, object, target }: GameTask): string {
  if (type === 'look_at_obj_in_light')
    return (
      `(and (exists (?ot - object ?r - receptacle ?a - agent ?l - location) (and (objectType ?ot ${target}Type) ` +
      '(toggleable ?ot) (isToggled ?ot) (receptacleAtLocation ?r ?l) (atLocation ?a ?l) (inReceptacle ?ot ?r))) ' +
      `(exists (?o - object ?a - agent) (and (objectType ?o ${object}Type) (holds ?a ?o))))`
    );
  const lies = (variable: string): string =>
    `(objectType ${variable} ${object}Type) (receptacleType ?r ${target}Type) (inReceptacle ${variable} ?r)`;
  if (type === 'pick_two_obj_and_place')
    return (
      `(and (exists (?r - receptacle) (exists (?o1 - object) (and ${lies('?o1')} ` +
      `(exists (?o2 - object) (and (not (= ?o1 ?o2)) ${lies('?o2')}))))))`
    );
  return `(and (exists (?r - receptacle) (exists (?o - object) (and ${changed[type] ?? ''}${lies('?o')}))))`;
}
