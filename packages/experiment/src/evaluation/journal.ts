/**
 * An evaluation while it is made: every game is on disk when it is over, so that one that was stopped or killed goes on with
 * the games that are left. The file is gone when the result is there.
 */
import { rmSync } from 'node:fs';
import { isThere, openJournal, readJournal, whileWriting } from '@emac/files';
import type { EvaluatedGame } from '@emac/rollout';
import type { PlayedGame } from '../logs/published-logs.ts';

interface JournaledGame {
  readonly game: EvaluatedGame;
  readonly played: PlayedGame;
}

export interface EvaluationJournal {
  /** games that were over before, by id */
  readonly known: ReadonlyMap<string, JournaledGame>;
  add(game: JournaledGame): void;
  /** keeps what there is, for the next time */
  close(): void;
  /** the result is stored: nothing is left to go on with */
  remove(): void;
}

/**
 * Opens or creates a journal; games of another `subject` (policy, games and settings together) are not its own, and are
 * dropped. Errors: `io`, `cannot-create`, `data`.
 */
export function openEvaluationJournal(path: string, subject: string): EvaluationJournal {
  const [head, ...lines] = isThere(path) ? (readJournal(path) as [Head?, ...JournaledGame[]]) : [];
  const isSame = head?.v === 1 && head.subject === subject;
  if (!isSame && head) remove(path);
  const journal = openJournal(path);
  if (!isSame) journal.append({ v: 1, subject } satisfies Head);
  journal.sync();
  return {
    known: new Map((isSame ? lines : []).map((line) => [line.game.id, line])),
    add(game) {
      journal.append(game);
      journal.sync();
    },
    close: () => journal.close(),
    remove() {
      journal.close();
      remove(path);
    },
  };
}

interface Head {
  readonly v: 1;
  readonly subject: string;
}

function remove(path: string): void {
  whileWriting(path, () => rmSync(path, { force: true }));
}
