/**
 * All candidates for a shortest way to a goal, as errands: an object, its origin, its treatment, its target. The agent
 * carries one thing at a time, so a goal takes at most five errands: freeing the hand, then fetching and bringing. An
 * object that also lies in a target need not be brought after treatment.
 */
import type { ObjectState } from '../expert/goal.ts';
import type { Scene, SceneObject, ScenePlace } from './scene.ts';

export interface Errand {
  /** `stand`: being there is enough (the lamp is already on) */
  readonly do: 'take' | 'place' | 'clean' | 'heat' | 'cool' | 'use' | 'stand';
  readonly object: SceneObject;
  readonly at: ScenePlace;
}

type Errands = readonly Errand[];

/** Errands that end with an object of the goal's class in hand. */
interface Holding {
  readonly object: SceneObject;
  /** its origin; null if held all along */
  readonly from: ScenePlace | null;
  readonly errands: Errands;
}

const tools: Readonly<Record<ObjectState, readonly ['clean' | 'heat' | 'cool', string]>> = {
  clean: ['clean', 'sinkbasin'],
  hot: ['heat', 'microwave'],
  cool: ['cool', 'fridge'],
};

/** The candidates for a shortest plan; none if the goal is impossible. */
export function* candidates(scene: Scene): Generator<Errands> {
  const { goal } = scene;
  if (goal.kind === 'look') yield* looks(scene, goal.lamp);
  else if (goal.count === 2) for (const target of placesFor(scene)) yield* pairs(scene, target);
  else for (const holding of holdings(scene)) yield* bringings(scene, holding);
}

function* looks(scene: Scene, lampClass: string): Generator<Errands> {
  const lamps = scene.objects.filter((object) => object.class === lampClass);
  for (const { errands } of holdings(scene))
    for (const lamp of lamps)
      for (const at of lamp.places) yield [...errands, { do: lamp.used ? 'stand' : 'use', object: lamp, at }];
}

function* bringings(scene: Scene, { object, from, errands }: Holding): Generator<Errands> {
  for (const treatment of treatments(scene, object)) {
    const treated = [...errands, ...treatment];
    if (object.places.some((place) => place !== from && isTarget(scene, place))) yield treated;
    else for (const at of placesFor(scene)) yield [...treated, { do: 'place', object, at }];
  }
}

/** The treatments that give the object the goal's state: none, or one errand per tool. */
function treatments({ goal, places }: Scene, object: SceneObject): readonly Errands[] {
  const state = goal.kind === 'place' ? goal.state : null;
  if (state === null) return [[]];
  if (!object.treatable.has(state)) return [];
  if (object.states.has(state)) return [[]];
  const [verb, tool] = tools[state];
  return places.filter((place) => place.class === tool).map((at) => [{ do: verb, object, at }]);
}

/** Ways to get two objects into one target; some may be there already. */
function* pairs(scene: Scene, target: ScenePlace): Generator<Errands> {
  const isThere = ({ places }: SceneObject): boolean => places.includes(target);
  const there = wanted(scene).filter(isThere).length;
  for (const first of holdings(scene, (object) => !isThere(object))) {
    const one: Errands = [...first.errands, { do: 'place', object: first.object, at: target }];
    if (there > 0) yield one;
    else
      for (const object of wanted(scene))
        if (object !== first.object && object.movable)
          for (const at of object.places)
            yield [...one, { do: 'take', object, at }, { do: 'place', object, at: target }];
  }
}

function* holdings(scene: Scene, isWanted = (_: SceneObject): boolean => true): Generator<Holding> {
  const { held } = scene;
  if (held?.class === scene.goal.object && isWanted(held)) yield { object: held, from: null, errands: [] };
  const freeings = held ? scene.places.filter((place) => scene.takes(place.class, held.class)) : null;
  for (const object of wanted(scene)) {
    if (object === held || !object.movable || !isWanted(object)) continue;
    for (const from of object.places) {
      const take: Errand = { do: 'take', object, at: from };
      if (freeings === null) yield { object, from, errands: [take] };
      else
        for (const at of freeings)
          yield { object, from, errands: [{ do: 'place', object: held!, at }, take] };
    }
  }
}

function wanted({ goal, objects }: Scene): readonly SceneObject[] {
  return objects.filter((object) => object.class === goal.object);
}

function isTarget({ goal }: Scene, place: ScenePlace): boolean {
  return goal.kind === 'place' && place.class === goal.receptacle;
}

/** The receptacles of the target class that take the goal's object. */
function placesFor(scene: Scene): readonly ScenePlace[] {
  const { goal, places } = scene;
  return places.filter((place) => isTarget(scene, place) && scene.takes(place.class, goal.object));
}
