import { describe, expect, it } from 'vitest';
import type { GameTask } from './choose-task.ts';
import type { PlacedObject } from './furnish.ts';
import type { RoomReceptacle } from './room.ts';
import { walkthroughOf } from './walkthrough.ts';

const receptacle = (name: string, location: string, openable = false): RoomReceptacle => ({
  id: name,
  class: name.replace(/\d/, ''),
  openable,
  location,
});
const fridge = receptacle('Fridge', 'here', true);
const table = receptacle('DiningTable', 'there');
const counter = receptacle('CounterTop', 'there');
const microwave = receptacle('Microwave', 'corner', true);
const lies = (id: string, place: RoomReceptacle): PlacedObject => ({
  id,
  class: id.replace(/\d/, ''),
  places: [place],
  location: place.location,
  cool: false,
});
const task = (type: GameTask['type'], target: string): GameTask => ({
  type,
  object: 'Egg',
  target,
  room: {
    name: 'K1',
    kind: 'kitchen',
    receptacles: [fridge, table, counter, microwave],
    freeLocations: [],
    objectClasses: [],
  },
});
const plan = (wanted: GameTask, objects: PlacedObject[], dialect: 'put' | 'move' = 'move') =>
  walkthroughOf({
    task: wanted,
    objects,
    dialect,
    names: new Map([...objects, ...wanted.room.receptacles].map(({ id }) => [id, id.toLowerCase()])),
  });

describe('the walkthrough of a generated game', () => {
  it('takes the object that needs no opening, and goes nowhere twice', () => {
    expect(
      plan(task('pick_and_place_simple', 'CounterTop'), [lies('Egg1', fridge), lies('Egg2', table)]),
    ).toEqual(['go to diningtable', 'take egg2 from diningtable', 'move egg2 to countertop']);
  });

  it('opens receptacles once, to take or put, and never to heat or cool', () => {
    expect(plan(task('pick_heat_then_place_in_recep', 'Fridge'), [lies('Egg1', fridge)])).toEqual([
      'go to fridge',
      'open fridge',
      'take egg1 from fridge',
      'go to microwave',
      'heat egg1 with microwave',
      'go to fridge',
      'move egg1 to fridge',
    ]);
    expect(plan(task('pick_cool_then_place_in_recep', 'CounterTop'), [lies('Egg1', fridge)], 'put')).toEqual([
      'go to fridge',
      'open fridge',
      'take egg1 from fridge',
      'cool egg1 with fridge',
      'go to countertop',
      'put egg1 in/on countertop',
    ]);
  });

  it('brings two objects to one receptacle', () => {
    const objects = [lies('Egg1', fridge), lies('Egg2', fridge)];
    expect(plan(task('pick_two_obj_and_place', 'DiningTable'), objects)).toEqual([
      'go to fridge',
      'open fridge',
      'take egg1 from fridge',
      'go to diningtable',
      'move egg1 to diningtable',
      'go to fridge',
      'take egg2 from fridge',
      'go to diningtable',
      'move egg2 to diningtable',
    ]);
  });
});
