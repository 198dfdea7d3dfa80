/** Generated games as files in ALFWorld's layout: `<folder>/<task>/<trial>/game.tw-pddl`. */
import { dirname, join, mkdirSync, statSync, writeFileSync } from '@emac/platform';
import { EmacError, messageOf, Random } from '@emac/core';
import type { Dialect } from '../dialect.ts';
import { generateGame } from './generate-game.ts';
import type { GeneratedGame } from './generate-game.ts';
import type { Split } from './room.ts';
import type { TaskType } from '../task-type.ts';

export interface GameSeries {
  readonly count: number;
  readonly seed: number | string;
  /** default `move` */
  readonly dialect?: Dialect;
  /** default: any */
  readonly taskType?: TaskType;
  /** source of the rooms; default `train` */
  readonly split?: Split;
}

/** The games of a series one after the other; equal series give equal games. A bad count is a `usage` error. */
export function* generatedGames(series: GameSeries): Generator<GeneratedGame> {
  const { count, seed, dialect = 'move', split = 'train', taskType } = series;
  if (!(Number.isInteger(count) && count >= 0))
    throw new EmacError('usage', `generatedGames: count must be a whole number, got ${count}`);
  for (let index = 0; index < count; index++)
    yield generateGame({
      random: Random.fromSeed(`generate/${seed}/${index}`),
      trial: `trial_G${seed}_${String(index).padStart(5, '0')}`,
      dialect,
      split,
      ...(taskType && { taskType }),
    });
}

/**
 * Writes a game below a folder, creating it; returns the file's path. Errors: `cannot-create` if it is not writable or
 * the game exists, `auth` without permission, `io` for a full or broken disk.
 */
export function writeGame(folder: string, { id, file }: GeneratedGame): string {
  const path = join(folder, id, 'game.tw-pddl');
  try {
    makeFolder(dirname(path));
    writeFileSync(path, JSON.stringify(file), { flag: 'wx' });
  } catch (error) {
    throw unwritable(path, error);
  }
  return path;
}

/** Level by level: Node's own recursive mkdir does not return for some paths that cannot be made. */
function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // another process may have made it in the meantime
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

function unwritable(path: string, cause: unknown): EmacError {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === 'EEXIST')
    return new EmacError('cannot-create', `${path}: already exists; give another folder or seed`, {
      cause,
    });
  const isOfDisk = /^(ENOSPC|EDQUOT|EIO)$/.test(code ?? '');
  return new EmacError(
    code === 'EACCES' ? 'auth' : isOfDisk ? 'io' : 'cannot-create',
    `${path}: cannot be written: ${messageOf(cause)}`,
    { cause },
  );
}
