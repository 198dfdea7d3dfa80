/**
 * The journal of an evaluation: every finished game is on disk, so a stopped or killed evaluation resumes with the
 * remaining games. It is removed once the result is stored.
 */
import { rmSync } from 'node:fs';
import { isThere, openJournal, readJournal, whileWriting } from '@emac/files';
import type { EvaluatedGame, ScoredEpisode } from '@emac/rollout';
import type { PlayedGame } from '../logs/published-logs.ts';

export interface JournaledGame {
  readonly game: EvaluatedGame;
  /** as logs have it */
  readonly played?: PlayedGame;
}

/** A game with the attempt's line in `traces.jsonl`, where it is asked for; earlier versions journaled it so. */
export interface TracedGame extends JournaledGame {
  readonly trace?: object;
}

/** As earlier versions journaled an episode that was played step by step. */
export interface JournaledEpisode {
  readonly episode: number;
  readonly scored: ScoredEpisode;
}

export interface ResultJournal {
  /** finished earlier */
  readonly lines: readonly (TracedGame | JournaledEpisode)[];
  add(over: JournaledGame): void;
  /** keeps the file for the next attempt */
  close(): void;
  /** the result is stored, so the journal is removed; takes its current path, if its folder was renamed */
  remove(path?: string): void;
}

/** What playing needs of a journal; without one nothing is kept. */
export type PlayJournal = Pick<ResultJournal, 'lines' | 'add'>;

/**
 * Opens or creates a journal; results of another `subject` (policy, tasks and settings together) are not its own, and are
 * dropped. Errors: `io`, `cannot-create`, `data`.
 */
export function openResultJournal(path: string, subject: string): ResultJournal {
  const [head, ...lines] = isThere(path) ? (readJournal(path) as [Head?, ...ResultJournal['lines']]) : [];
  const isSame = head?.v === 1 && head.subject === subject;
  if (!isSame && head) remove(path);
  const journal = openJournal(path);
  if (!isSame) journal.append({ v: 1, subject } satisfies Head);
  journal.sync();
  let isOpen = true;
  const close = () => {
    if (isOpen) journal.close();
    isOpen = false;
  };
  return {
    lines: isSame ? lines : [],
    add(over) {
      journal.append(over);
      journal.sync();
    },
    close,
    remove(now = path) {
      close();
      remove(now);
    },
  };
}

/** The journal's path for a result file. */
export function journalOf(result: string): string {
  return `${result}.part.jsonl`;
}

/** The subject of a journal; null if there is none. */
export function subjectOfJournal(path: string): string | null {
  if (!isThere(path)) return null;
  const [head] = readJournal(path) as [Head?];
  return head?.subject ?? null;
}

interface Head {
  readonly v: 1;
  readonly subject: string;
}

function remove(path: string): void {
  whileWriting(path, () => rmSync(path, { force: true }));
}
