/**
 * Draws a game's task. Pairs and weights are those of ALFWorld's train games. ALFRED's rules also hold: nothing is
 * heated for a microwave, cooled for a fridge or cleaned for a sink, and two objects never share a coffee machine or a
 * holder.
 */
import { EmacError } from '@emac/core';
import type { Random } from '@emac/core';
import type { RoomKind } from '../frame/visible-state.ts';
import { canContain } from './affordances.ts';
import { placesByKind } from './places-table.ts';
import { roomByName, roomNames } from './room.ts';
import type { Room, Split } from './room.ts';
import { taskPairs } from './task-pairs-table.ts';
import { taskTypes, type TaskType } from '../task-type.ts';

export interface GameTask {
  readonly type: TaskType;
  /** object class, e.g. 'Apple' */
  readonly object: string;
  /** receptacle class, or the lamp's class for look_at_obj_in_light */
  readonly target: string;
  readonly room: Room;
}

export interface TaskWish {
  readonly split: Split;
  readonly room?: string;
  readonly taskType?: TaskType;
  /** task folder names to exclude */
  readonly exclude?: ReadonlySet<string>;
}

const roomKinds: readonly RoomKind[] = ['kitchen', 'livingroom', 'bedroom', 'bathroom'];

const forbiddenTargets: Readonly<Record<TaskType, readonly string[]>> = {
  pick_and_place_simple: [],
  look_at_obj_in_light: [],
  pick_clean_then_place_in_recep: ['SinkBasin'],
  pick_heat_then_place_in_recep: ['Microwave'],
  pick_cool_then_place_in_recep: ['Fridge'],
  pick_two_obj_and_place: ['CoffeeMachine', 'ToiletPaperHanger', 'HandTowelHolder'],
};

const neededReceptacle: Readonly<Partial<Record<TaskType, string>>> = {
  pick_clean_then_place_in_recep: 'SinkBasin',
  pick_heat_then_place_in_recep: 'Microwave',
  pick_cool_then_place_in_recep: 'Fridge',
};

/** The folder name of a task in ALFWorld's data: type, object, no movable receptacle, target, room. */
export function taskName(task: GameTask): string {
  return `${task.type}-${task.object}-None-${task.target}-${task.room.name}`;
}

/** Draws a task that the split, the room and the task type of the wish allow; none left is a usage error. */
export function chooseTask(random: Random, wish: TaskWish): GameTask {
  const kinds = wish.room === undefined ? roomKinds : [roomByName(wish.room).kind];
  const types = wish.taskType === undefined ? taskTypes : [wish.taskType];
  const groups = types.flatMap((type) => kinds.map((kind) => ({ type, kind, games: gamesOf(type, kind) })));
  const weights = groups.map((group) => group.games);
  while (weights.some((weight) => weight > 0)) {
    const index = random.weightedIndex(weights);
    const { type, kind } = groups[index]!;
    for (const name of wish.room === undefined ? random.shuffle(roomNames(wish.split, kind)) : [wish.room]) {
      const room = roomByName(name);
      const tasks = possibleTasks(type, room).filter(
        ({ task }) => wish.exclude?.has(taskName(task)) !== true,
      );
      if (tasks.length > 0) return tasks[random.weightedIndex(tasks.map((entry) => entry.weight))]!.task;
    }
    weights[index] = 0;
  }
  const wished = `${wish.taskType ?? 'any task'} in ${wish.room ?? `a room of ${wish.split}`}`;
  throw new EmacError(
    'usage',
    `generateGame: ${wished} is not possible; choose another room or exclude less`,
  );
}

function pairsOf(type: TaskType, kind: RoomKind): Readonly<Record<string, string>> {
  return (taskPairs as Readonly<Record<string, Readonly<Record<string, string>>>>)[`${type} ${kind}`] ?? {};
}

function gamesOf(type: TaskType, kind: RoomKind): number {
  return Number(pairsOf(type, kind)['games'] ?? 0);
}

/** 'Desk 35 Shelf 22' → pairs of class and weight. */
export function weightsOf(text: string): [string, number][] {
  return [...text.matchAll(/(\S+) (\d+)/g)].map(([, name, weight]) => [name!, Number(weight)]);
}

interface WeightedTask {
  readonly task: GameTask;
  readonly weight: number;
}

/** Found before, by room; `roomByName` gives the same object for the same room of the table. */
const found = new WeakMap<Room, Map<TaskType, readonly WeightedTask[]>>();

function possibleTasks(type: TaskType, room: Room): readonly WeightedTask[] {
  const ofRoom = found.get(room) ?? new Map<TaskType, readonly WeightedTask[]>();
  const tasks = ofRoom.get(type) ?? findTasks(type, room);
  found.set(room, ofRoom.set(type, tasks));
  return tasks;
}

function findTasks(type: TaskType, room: Room): WeightedTask[] {
  const classes = new Set(room.receptacles.map((receptacle) => receptacle.class));
  const needed = neededReceptacle[type];
  if (needed !== undefined && !classes.has(needed)) return [];
  return Object.entries(pairsOf(type, room.kind))
    .filter(([object]) => object !== 'games')
    .flatMap(([object, targets]) =>
      weightsOf(targets)
        .filter(([target]) => isPossible({ type, object, target, room }, classes))
        .map(([target, weight]) => ({ task: { type, object, target, room }, weight })),
    );
}

function isPossible(task: GameTask, classes: ReadonlySet<string>): boolean {
  if (task.type === 'look_at_obj_in_light')
    return lampPlaces(task.target, task.room.kind).some((c) => classes.has(c));
  if (forbiddenTargets[task.type].includes(task.target) || !classes.has(task.target)) return false;
  if (canContain[task.target]?.includes(task.object) !== true) return false;
  // somewhere else must be free to hold the object at the start
  return [...classes].some(
    (name) => name !== task.target && canContain[name]?.includes(task.object) === true,
  );
}

function lampPlaces(lamp: string, kind: RoomKind): string[] {
  const text = (placesByKind[kind] as Readonly<Record<string, string>>)[lamp] ?? '';
  return weightsOf(text).map(([name]) => name);
}
