/** A game in a job: its id, and its file's hash if it has a file; built-in games need only the id. */
import { readFileSync } from 'node:fs';
import { EmacError } from '@emac/core';
import { whileReading } from '@emac/files';
import { listGames, suites } from '@emac/opening';
import type { SharedFolder } from '@emac/queue';
import { parseGame, type Game } from '@emac/world';
import { storedText } from './carried.ts';

/** A game's id, and its path if it has a file. */
export type GameFile = Pick<Game, 'id' | 'path'>;

export interface SharedGame {
  readonly id: string;
  readonly file: string | null;
}

/** Puts a game's file into the shared folder. Errors: `missing`, `io`; those of the folder. */
export function shareGame(folder: SharedFolder, { id, path }: GameFile): SharedGame {
  if (path === undefined) return { id, file: null };
  return { id, file: folder.put(whileReading(path, () => readFileSync(path))) };
}

/** Returns a shared game. Errors: `missing`, `data`. */
export async function sharedGame(folder: SharedFolder, { id, file }: SharedGame): Promise<Game> {
  if (file !== null) return parseGame(await storedText(folder, file), { id });
  for (const suite of suites) {
    const game = listGames(`builtin:${suite}`).find(id);
    if (game) return game.load();
  }
  throw new EmacError('data', `game ${id}: is in no built-in suite, and its file was not shared`);
}
