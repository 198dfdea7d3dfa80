/** The shortest win of a game being generated, from its layout instead of a loaded world. */
import { invariant } from '@emac/core';
import type { Dialect } from '../dialect.ts';
import { mayFit } from '../expert/fits.ts';
import type { Goal, ObjectState } from '../expert/goal.ts';
import type { Scene, SceneObject, ScenePlace } from '../plan/scene.ts';
import { shortestPlan } from '../plan/shortest-plan.ts';
import { propertyClasses } from './affordances.ts';
import type { GameTask } from './choose-task.ts';
import type { PlacedObject } from './furnish.ts';
import type { RoomReceptacle } from './room.ts';
import type { TaskType } from '../task-type.ts';

export interface WalkthroughScene {
  readonly task: GameTask;
  readonly objects: readonly PlacedObject[];
  /** display names by id */
  readonly names: ReadonlyMap<string, string>;
  readonly dialect: Dialect;
}

/** The commands of a shortest winning play from the start; a layout without one is a fault of the generator. */
export function walkthroughOf(layout: WalkthroughScene): string[] {
  const plan = shortestPlan(sceneOf(layout));
  const { type, object, room } = layout.task;
  invariant(plan !== null, `walkthroughOf: no way to ${type} ${object} in ${room.name}`);
  return plan;
}

const stateOfType: Readonly<Partial<Record<TaskType, ObjectState>>> = {
  pick_clean_then_place_in_recep: 'clean',
  pick_heat_then_place_in_recep: 'hot',
  pick_cool_then_place_in_recep: 'cool',
};

function goalOf(task: GameTask): Goal {
  const { type } = task;
  const [object, receptacle] = [task.object.toLowerCase(), task.target.toLowerCase()];
  if (type === 'look_at_obj_in_light') return { kind: 'look', object, lamp: receptacle };
  const count = type === 'pick_two_obj_and_place' ? 2 : 1;
  return { kind: 'place', object, receptacle, state: stateOfType[type] ?? null, count };
}

function sceneOf({ task, objects, names, dialect }: WalkthroughScene): Scene {
  const places = new Map(
    task.room.receptacles.map((receptacle): [RoomReceptacle, ScenePlace] => [
      receptacle,
      {
        name: names.get(receptacle.id)!,
        class: receptacle.class.toLowerCase(),
        location: receptacle.location,
        closed: receptacle.openable,
      },
    ]),
  );
  const wanted = objects.filter((object) => object.class === task.object || object.class === task.target);
  return {
    goal: goalOf(task),
    places: [...places.values()],
    objects: wanted.map((object): SceneObject => {
      return {
        name: names.get(object.id)!,
        class: object.class.toLowerCase(),
        movable: propertyClasses.pickupable.includes(object.class),
        places: object.places.map((place) => places.get(place)!),
        states: new Set(object.cool ? ['cool'] : []),
        treatable: treatable(object.class),
        used: false,
      };
    }),
    location: null,
    held: null,
    takes: (place, object) => mayFit(object, place),
    dialect,
  };
}

function treatable(name: string): ReadonlySet<ObjectState> {
  const states: ObjectState[] = [];
  if (propertyClasses.cleanable.includes(name)) states.push('clean');
  if (propertyClasses.heatable.includes(name)) states.push('hot');
  if (propertyClasses.coolable.includes(name)) states.push('cool');
  return new Set(states);
}
