/**
 * The folder of an evaluation in an environment: filled as `NAME.part`, by one process at a time, with each episode on disk when it is over. The same
 * evaluation goes on there after an interruption; the folder gets its name when it is whole.
 */
import { isThere, writeFileAtomic } from '@emac/files';
import type { StepAction } from '@emac/opening';
import type { EpisodeWatcher, ScoredEpisode } from '@emac/rollout';
import { layout, lockRun } from '@emac/runs';
import { journalOf, openResultJournal } from '../evaluation/journal.ts';
import { openResultPlace, partFolder } from '../evaluation/result-place.ts';
import type { PpoEvaluation } from './ppo-evaluation.ts';
import { withPublishedNames } from './published-names.ts';

export interface Keeping {
  /** the folder's name, by what decides the result: an evaluation that was interrupted is found again by it */
  readonly out: (subject: string) => string;
  /** what else decides what is in the folder, such as which films */
  readonly with?: string;
  /** writes what comes first, and may look on; `isFresh`: nothing in the folder is gone on with */
  readonly begin?: (folder: string, isFresh: boolean) => EpisodeWatcher<StepAction> | null;
  /** writes what comes after the result */
  readonly end?: (folder: string, result: PpoEvaluation) => void;
}

export interface KeptEvaluation<Scored> {
  /** its name when it is whole */
  readonly folder: string;
  readonly known: ReadonlyMap<number, Scored>;
  readonly watch: EpisodeWatcher<StepAction> | null;
  ended(episode: number, scored: Scored): void;
  /** the result is there */
  finish(result: PpoEvaluation): void;
  /** lets go of it, whole or not */
  close(): void;
}

/** An entry of an evaluation's journal. */
export interface OverEpisode<Scored> {
  readonly episode: number;
  readonly scored: Scored;
}

/** Where the episodes of an evaluation are until it is whole. */
export const journalName = journalOf(layout.evaluation);

/** Errors: `cannot-create` naming the process that is at work there, or for a file of that name; `io`, `data`. */
export function openKeptEvaluation<Scored = ScoredEpisode>(
  keeping: Keeping,
  subject: string,
): KeptEvaluation<Scored> {
  const name = keeping.out(subject).replace(/[/\\]+$/, '');
  const isNew = !isThere(name);
  const place = openResultPlace(`${name}/`);
  const folder = isNew ? partFolder(name) : name;
  const lock = lockRun(folder, 'evaluation');
  const held: (() => void)[] = [() => lock.release()];
  const release = () => held.splice(0).forEach((each) => each());
  try {
    const journal = openResultJournal<OverEpisode<Scored>>(journalOf(place.file), subject, ({ episode }) =>
      String(episode),
    );
    held.unshift(() => journal.close());
    const isFresh = journal.known.size === 0;
    if (isFresh) place.clear();
    return {
      folder: name,
      known: new Map([...journal.known.values()].map(({ episode, scored }) => [episode, scored])),
      watch: keeping.begin?.(folder, isFresh) ?? null,
      ended: (episode, scored) => journal.add({ episode, scored }),
      finish(result) {
        writeFileAtomic(place.file, `${JSON.stringify(withPublishedNames(result), null, 2)}\n`);
        keeping.end?.(folder, result);
        lock.check();
        // a kill before the folder has its name leaves something to go on with
        journal.close();
        place.finish();
        held.splice(0);
        journal.remove(journalOf(place.named));
        lock.release(name);
      },
      close: release,
    };
  } catch (thrown) {
    release();
    throw thrown;
  }
}
