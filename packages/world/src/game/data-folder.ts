/**
 * ALFWorld's data folder: `json_2.1.1/<split>/<task>/<trial>/game.tw-pddl` under `$ALFWORLD_DATA` or
 * `~/.cache/alfworld`. Games are sorted by path and filtered as in ALFWorld's own loader.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Split } from '../generate/room.ts';
import { gameIdOf, taskTypeOf } from './game-id.ts';
import { findGames } from './load-game.ts';
import type { FoundGames } from './load-game.ts';
import type { TaskType } from '../task-type.ts';

export interface GameSelection {
  /** `<task>/<trial>` as in `Game.id`, or the beginning of one */
  readonly id?: string;
  readonly taskType?: TaskType;
}

/** ALFWorld's data folder; `environment` defaults to `process.env`. */
export function dataFolder(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  return environment['ALFWORLD_DATA'] || join(homedir(), '.cache', 'alfworld');
}

/** The playable games of a split; error: `missing` if the folder lacks it. */
export function findSplit(split: Split, selection: GameSelection = {}, folder = dataFolder()): FoundGames {
  const found = findGames(join(folder, 'json_2.1.1', split));
  return { ...found, games: selectGames(found.games, selection) };
}

/** The paths of games with a task type, or with an id prefix, in the given order. */
function selectGames(paths: readonly string[], { id: start, taskType }: GameSelection): readonly string[] {
  return paths.filter((path) => {
    const id = gameIdOf(path);
    return (
      (start === undefined || id.startsWith(start)) && (taskType === undefined || taskTypeOf(id) === taskType)
    );
  });
}
