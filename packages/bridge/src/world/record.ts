/**
 * Stores remote play in a file before it is used: a hash of every step of every attempt, and the games if only a client
 * knows them. A killed run resumes with the same list, and detects a world that does not repeat itself.
 */
import { openJournal, readJournal, isThere } from '@emac/files';
import type { Task } from '@emac/core';
import type { AttemptRecord, Made } from './remote-episode.ts';

export interface WorldRecord {
  /** games in order of arrival */
  readonly games: readonly Task[];
  addGame(game: Task): void;
  /** the attempt with this seed */
  attempt(seed: string): AttemptRecord;
  close(): void;
}

type Line =
  | { readonly kind: 'game'; readonly id: string; readonly type: string | null }
  | ({ readonly kind: 'step'; readonly attempt: string; readonly step: number } & Made);

/** Stores nothing. */
export const noRecord: WorldRecord = {
  games: [],
  addGame: () => {},
  attempt: () => ({ expected: () => undefined, keep: () => {} }),
  close: () => {},
};

/** Opens or creates. Errors: `io`, `cannot-create`, `data`. */
export function openWorldRecord(path: string): WorldRecord {
  const lines = isThere(path) ? (readJournal(path) as Line[]) : [];
  const journal = openJournal(path);
  const games: Task[] = [];
  const attempts = new Map<string, Made[]>();
  const put = (line: Line): void => {
    if (line.kind === 'game') return void games.push({ id: line.id, type: line.type });
    const { attempt, step, command, sha256 } = line;
    attempts.set(attempt, [...(attempts.get(attempt) ?? []).slice(0, step), { command, sha256 }]);
  };
  const add = (line: Line): void => {
    journal.append(line);
    put(line);
  };
  lines.forEach(put);
  return {
    games,
    addGame: ({ id, type }) => add({ kind: 'game', id, type }),
    attempt: (seed) => ({
      expected: (step) => attempts.get(seed)?.[step],
      keep: (step, { command, sha256 }) => add({ kind: 'step', attempt: seed, step, command, sha256 }),
    }),
    close: () => journal.close(),
  };
}
