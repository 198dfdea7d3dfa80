/** Game files on disk: loading one, and finding those of a folder that can be played. */
import { type Stats, join, readFileSync, readdirSync, statSync } from '@emac/platform';
import { EmacError } from '@emac/core';
import { gameIdOf } from './game-id.ts';
import { parseGame, readParts } from './game.ts';
import type { Game } from './game.ts';
import { reading } from './reading.ts';

const maximumBytes = 8 * 1024 * 1024;

/** Reads and compiles a `*.tw-pddl` file; errors: `missing` (no such file), `data` (damaged or unsolvable). */
export function loadGame(path: string): Game {
  return parseGame(readText(path), { path });
}

/** Quickly checks a file: it is complete, and has a game's texts. They are not compiled. Errors: as `loadGame`. */
export function checkGame(path: string): void {
  readParts(readText(path), path);
}

function readText(path: string): string {
  const stat = found(path, 'game file');
  if (!stat.isFile()) throw new EmacError('data', `${path}: not a file`);
  if (stat.size > maximumBytes)
    throw new EmacError('data', `${path}: ${stat.size} bytes, a game file has at most ${maximumBytes}`);
  return reading(path, () => readFileSync(path, 'utf8')).replace(/^\ufeff/, '');
}

function found(path: string, what: string): Stats {
  return reading(path, () => {
    try {
      return statSync(path);
    } catch (thrown) {
      if (!/^(ENOENT|ENOTDIR|ENAMETOOLONG)$/.test((thrown as NodeJS.ErrnoException).code ?? '')) throw thrown;
      throw new EmacError('missing', `${path}: no such ${what}`);
    }
  });
}

export interface FoundGames {
  /** paths, sorted by code unit */
  readonly games: readonly string[];
  readonly leftOut: readonly { readonly reason: string; readonly count: number }[];
}

/**
 * The playable games of a file or folder (searched for `*.tw-pddl`). Skipped, as in ALFWorld's own loader: ids with
 * `movable` or `Sliced`, and files without `solvable: true`. A damaged file is kept; loading it reports the fault.
 * Error: `missing` if the path does not exist.
 */
export function findGames(path: string): FoundGames {
  const paths = found(path, 'file or folder').isDirectory() ? filesIn(path) : [path];
  const counts = new Map<string, number>();
  const games = paths.filter((each) => {
    const reason = reasonToLeaveOut(each);
    if (reason !== null) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    return reason === null;
  });
  return { games, leftOut: [...counts].map(([reason, count]) => ({ reason, count })) };
}

function filesIn(folder: string): string[] {
  return reading(folder, () => readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    .filter((name) => name.endsWith('.tw-pddl'))
    .map((name) => join(folder, name))
    .sort();
}

function reasonToLeaveOut(path: string): string | null {
  const id = gameIdOf(path);
  for (const word of ['movable', 'Sliced']) if (id.includes(word)) return `'${word}' in the game id`;
  const text = readText(path);
  // Inside JSON strings quotes are escaped, so an unescaped "solvable" can only be the key.
  const [, stated] = /"solvable"\s*:\s*(true|false|null)/.exec(text) ?? [];
  if (stated === 'true' || (stated === undefined && !isJson(text))) return null;
  return 'not solvable';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
