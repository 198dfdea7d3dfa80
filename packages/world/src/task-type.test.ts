import { describe, expect, it } from 'vitest';
import { isTaskType, taskTypes } from './task-type.ts';

describe('task types', () => {
  it('are six, in the order of their numbers in ALFWorld', () => {
    // ALFWorld's TASK_TYPES 1–6
    expect(taskTypes).toEqual([
      'pick_and_place_simple',
      'look_at_obj_in_light',
      'pick_clean_then_place_in_recep',
      'pick_heat_then_place_in_recep',
      'pick_cool_then_place_in_recep',
      'pick_two_obj_and_place',
    ]);
  });

  it.each([
    ['pick_two_obj_and_place', true],
    ['pick_two_obj_and_place-Mug-None-Shelf-1', false],
    ['pick_and_place_with_movable_recep', false],
    ['', false],
    ['constructor', false],
  ])('know that %j is one: %s', (text, expected) => {
    expect(isTaskType(text)).toBe(expected);
  });
});
