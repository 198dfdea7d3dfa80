/**
 * The journal of an evaluation: every finished game is on disk, so a stopped or killed evaluation resumes with the
 * remaining games. It is removed once the result is stored.
 */
import { rmSync } from 'node:fs';
import { isThere, openJournal, readJournal, whileWriting } from '@emac/files';
import { attemptName, type EvaluatedGame } from '@emac/rollout';
import type { PlayedGame } from '../logs/published-logs.ts';

export interface JournaledGame {
  readonly game: EvaluatedGame;
  readonly played: PlayedGame;
}

export interface ResultJournal<Over> {
  /** games finished earlier, by name */
  readonly known: ReadonlyMap<string, Over>;
  add(over: Over): void;
  /** keeps the file for the next attempt */
  close(): void;
  /** the result is stored, so the journal is removed; takes its current path, if its folder was renamed */
  remove(path?: string): void;
}

export type EvaluationJournal = ResultJournal<JournaledGame>;

/**
 * Opens or creates a journal; games of another `subject` (policy, games and settings together) are not its own, and are
 * dropped. Errors: `io`, `cannot-create`, `data`.
 */
export function openEvaluationJournal(path: string, subject: string): EvaluationJournal {
  return openResultJournal(path, subject, idOfGame);
}

/** The name of its attempt. */
export function idOfGame({ game: { id, attempt = 1 } }: JournaledGame): string {
  return attemptName(id, attempt - 1);
}

/** The same of anything that has an id. */
export function openResultJournal<Over extends object>(
  path: string,
  subject: string,
  idOf: (over: Over) => string,
): ResultJournal<Over> {
  const [head, ...lines] = isThere(path) ? (readJournal(path) as [Head?, ...Over[]]) : [];
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
    known: new Map((isSame ? lines : []).map((line) => [idOf(line), line])),
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
