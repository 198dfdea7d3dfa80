/** Games for the stand-in of ALFWorld's embodied environment (`tools/alfworld-client/simulated`), one of each task type. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFolder } from '@emac/files';
import { clientFolder } from './python.ts';

/** Environment variables for Python to play them; nothing else is needed. */
export const simulated = { PYTHONPATH: join(clientFolder, 'simulated') };

const kitchen = [
  { name: 'countertop 1', objects: ['mug 1', 'egg 1', 'mug 2'] },
  { name: 'fridge 1', openable: true, objects: ['apple 1'] },
  { name: 'microwave 1', openable: true, objects: [] },
  { name: 'sinkbasin 1', objects: ['plate 1'] },
  { name: 'cabinet 1', openable: true, objects: [] },
  { name: 'desk 1', objects: ['desklamp 1'] },
];

const tasks = [
  ['look_at_obj_in_light', 'Mug', '', 'DeskLamp'],
  ['pick_and_place_simple', 'Egg', 'Cabinet', ''],
  ['pick_clean_then_place_in_recep', 'Plate', 'CounterTop', ''],
  ['pick_cool_then_place_in_recep', 'Mug', 'Cabinet', ''],
  ['pick_heat_then_place_in_recep', 'Apple', 'CounterTop', ''],
  ['pick_two_obj_and_place', 'Mug', 'Fridge', ''],
] as const;

/** Writes them as `<task>/trial_1/traj_data.json`; the simulator of one of them may break at a command. Returns their ids. */
export function writeSimulatedGames(
  folder: string,
  breaking: { readonly type: string; readonly failsAt: number } | null = null,
): string[] {
  return tasks.map(([type, object, parent, toggle]) => {
    const id = `${type}-${object}-None-${parent || toggle}-1/trial_1`;
    const game = {
      task_type: type,
      pddl_params: {
        object_target: object,
        parent_target: parent,
        toggle_target: toggle,
        mrecep_target: '',
        object_sliced: false,
      },
      room: kitchen,
      ...(breaking?.type === type && { fails_at: breaking.failsAt }),
    };
    createFolder(join(folder, id));
    writeFileSync(join(folder, id, 'traj_data.json'), JSON.stringify(game));
    return id;
  });
}
