/**
 * Which game a message of the published wire is about, as it has no id: the game's file where INFORMATION carries it, else
 * its type and a hash of the first observation.
 */
import type { Task } from '@emac/core';
import { sha256 } from '@emac/files';
import type { PublishedMessage } from './message.ts';

/** The published prefixes, in their order, and ALFWorld's names of the types. */
const types = [
  ['pick_and_place', 'pick_and_place_simple'],
  ['pick_clean_then_place', 'pick_clean_then_place_in_recep'],
  ['pick_heat_then_place', 'pick_heat_then_place_in_recep'],
  ['pick_cool_then_place', 'pick_cool_then_place_in_recep'],
  ['look_at_obj', 'look_at_obj_in_light'],
  ['pick_two_obj', 'pick_two_obj_and_place'],
] as const;

/** The game of an episode's first message; its id is that of the same file read by us, `<task>/<trial>`. */
export function gameOf({
  gameFile,
  type,
  observation,
}: Pick<PublishedMessage, 'gameFile' | 'type' | 'observation'>): Task {
  const kind = types.find(([prefix]) => type.startsWith(prefix))?.[1] ?? null;
  const ofFile = gameFile === null ? null : idOf(gameFile);
  return { id: ofFile ?? `${shown(type)}/${sha256(observation).slice(0, 16)}`, type: kind };
}

/** The text games name their file, the embodied ones (AI2-THOR) the folder that it lies in. */
function idOf(path: string): string | null {
  const parts = path.split(/[/\\]/);
  const file = /\.(?:tw-pddl|json)$/.test(parts.at(-1)!) ? parts.pop()! : usualFile;
  const [task, trial] = parts.slice(-2);
  if (!task || !trial) return null;
  const isUsual = file === usualFile || file === 'traj_data.json';
  return shown(`${task}/${trial}${isUsual ? '' : `@${file}`}`);
}

const usualFile = 'game.tw-pddl';

/** Ids are shown to people: one line, not too long. */
function shown(text: string): string {
  return text.replace(/[\p{C}\p{Z}]+/gu, ' ').slice(0, 300);
}
