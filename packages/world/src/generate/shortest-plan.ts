/**
 * The shortest way to win a generated game. Where everything lies is known, so no search over states is needed:
 * every choice of object, tool and target instance is written out as commands and the shortest list wins
 * (the first found among equals). What can be saved is saved: no `go to` to the present place, which the world
 * answers with "Nothing happens.", and no second opening. Heating, cooling and cleaning need nothing open.
 */
import { invariant } from '@emac/core';
import type { TaskType } from '@emac/core';
import type { GameTask } from './choose-task.ts';
import type { PlacedObject } from './furnish.ts';
import type { RoomReceptacle } from './room.ts';

export type Dialect = 'put' | 'move';

export interface PlanScene {
  readonly task: GameTask;
  readonly objects: readonly PlacedObject[];
  /** display names by id */
  readonly names: ReadonlyMap<string, string>;
  readonly dialect: Dialect;
}

type Errand =
  | { readonly do: 'take' | 'place'; readonly object: PlacedObject; readonly at: RoomReceptacle }
  | {
      readonly do: 'clean' | 'heat' | 'cool' | 'use';
      readonly object: PlacedObject;
      readonly at: RoomReceptacle;
    };

const tools: Readonly<Partial<Record<TaskType, readonly ['clean' | 'heat' | 'cool', string]>>> = {
  pick_clean_then_place_in_recep: ['clean', 'SinkBasin'],
  pick_heat_then_place_in_recep: ['heat', 'Microwave'],
  pick_cool_then_place_in_recep: ['cool', 'Fridge'],
};

/** The commands of a shortest winning play from the start of the game. */
export function shortestPlan(scene: PlanScene): string[] {
  let best: string[] | null = null;
  for (const errands of candidates(scene)) {
    const commands = commandsFor(errands, scene);
    if (best === null || commands.length < best.length) best = commands;
  }
  invariant(
    best !== null,
    `shortestPlan: no way to ${scene.task.type} ${scene.task.object} in ${scene.task.room.name}`,
  );
  return best;
}

function* candidates(scene: PlanScene): Generator<Errand[]> {
  const { task, objects } = scene;
  const takes = objects.filter((object) => object.class === task.object).flatMap(takesOf);
  if (task.type === 'look_at_obj_in_light') {
    const lamps = objects.filter((object) => object.class === task.target);
    for (const take of takes)
      for (const lamp of lamps) for (const at of lamp.places) yield [take, { do: 'use', object: lamp, at }];
    return;
  }
  const targets = task.room.receptacles.filter((receptacle) => receptacle.class === task.target);
  for (const target of targets)
    for (const take of takes)
      if (task.type === 'pick_two_obj_and_place') yield* pairs(take, takes, target);
      else yield* singles(take, target, task);
}

const takesOf = (object: PlacedObject): Errand[] => object.places.map((at) => ({ do: 'take', object, at }));

function* singles(take: Errand, target: RoomReceptacle, task: GameTask): Generator<Errand[]> {
  const place: Errand = { do: 'place', object: take.object, at: target };
  const tool = tools[task.type];
  if (tool === undefined) yield [take, place];
  else
    for (const at of task.room.receptacles.filter((receptacle) => receptacle.class === tool[1]))
      yield [take, { do: tool[0], object: take.object, at }, place];
}

function* pairs(take: Errand, takes: readonly Errand[], target: RoomReceptacle): Generator<Errand[]> {
  for (const second of takes)
    if (second.object !== take.object)
      yield [
        take,
        { do: 'place', object: take.object, at: target },
        second,
        { do: 'place', object: second.object, at: target },
      ];
}

function commandsFor(errands: readonly Errand[], scene: PlanScene): string[] {
  const commands: string[] = [];
  const opened = new Set<RoomReceptacle>();
  let location: string | null = null;
  for (const errand of errands) {
    const { at } = errand;
    if (at.location !== location) commands.push(`go to ${scene.names.get(at.id)!}`);
    location = at.location;
    const reachesIn = errand.do === 'take' || errand.do === 'place';
    if (reachesIn && at.openable && !opened.has(at)) commands.push(`open ${scene.names.get(at.id)!}`);
    if (reachesIn) opened.add(at);
    commands.push(commandOf(errand, scene));
  }
  return commands;
}

function commandOf(errand: Errand, { names, dialect }: PlanScene): string {
  const object = names.get(errand.object.id)!;
  const receptacle = names.get(errand.at.id)!;
  switch (errand.do) {
    case 'take':
      return `take ${object} from ${receptacle}`;
    case 'place':
      return dialect === 'move' ? `move ${object} to ${receptacle}` : `put ${object} in/on ${receptacle}`;
    case 'use':
      return `use ${object}`;
    default:
      return `${errand.do} ${object} with ${receptacle}`;
  }
}
