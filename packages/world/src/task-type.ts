/** ALFWorld's six task types, in its own numbering (1–6). */
export const taskTypes = [
  'pick_and_place_simple',
  'look_at_obj_in_light',
  'pick_clean_then_place_in_recep',
  'pick_heat_then_place_in_recep',
  'pick_cool_then_place_in_recep',
  'pick_two_obj_and_place',
] as const;

export type TaskType = (typeof taskTypes)[number];

export function isTaskType(text: string): text is TaskType {
  return (taskTypes as readonly string[]).includes(text);
}
