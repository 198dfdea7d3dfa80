/**
 * The identity of a game: `<task>/<trial>` from the two folders around its file, plus `@<file name>` unless
 * that is `game.tw-pddl`. The task type is the part of the task folder before the first dash.
 */
import { basename, dirname, resolve } from '@emac/platform';
import { isTaskType, type TaskType } from '../task-type.ts';

export function gameIdOf(path: string): string {
  const full = resolve(path);
  const trial = dirname(full);
  const id = `${basename(dirname(trial))}/${basename(trial)}`;
  const file = basename(full);
  return file === 'game.tw-pddl' ? id : `${id}@${file}`;
}

/** Null unless the id starts with one of ALFWorld's task types. */
export function taskTypeOf(gameId: string): TaskType | null {
  const type = gameId.split(/[-/]/, 1)[0]!;
  return isTaskType(type) ? type : null;
}
