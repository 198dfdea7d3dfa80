/**
 * Identifies the game of a message of the published wire, which has no ids: by the game's file in INFORMATION, else by
 * its type and a hash of the first observation.
 */
import type { Task } from '@emac/core';
import { sha256 } from '@emac/files';
import type { PublishedMessage } from './message.ts';

/** The published prefixes, in order, with ALFWorld's type names. */
const types = [
  ['pick_and_place', 'pick_and_place_simple'],
  ['pick_clean_then_place', 'pick_clean_then_place_in_recep'],
  ['pick_heat_then_place', 'pick_heat_then_place_in_recep'],
  ['pick_cool_then_place', 'pick_cool_then_place_in_recep'],
  ['look_at_obj', 'look_at_obj_in_light'],
  ['pick_two_obj', 'pick_two_obj_and_place'],
] as const;

/** The game of an episode's first message; its id equals that of the local file, `<task>/<trial>`. */
export function gameOf({
  gameFile,
  type,
  observation,
}: Pick<PublishedMessage, 'gameFile' | 'type' | 'observation'>): Task {
  const kind = types.find(([prefix]) => type.startsWith(prefix))?.[1] ?? null;
  const ofFile = gameFile === null ? null : idOf(gameFile);
  return { id: ofFile ?? `${shown(type)}/${sha256(observation).slice(0, 16)}`, type: kind };
}

/** Text games name their file, embodied ones (AI2-THOR) its folder. */
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
