/**
 * The folder of an environment evaluation: filled as `NAME.part` by one process at a time, with every finished episode
 * on disk. The same evaluation resumes there after an interruption; the folder is renamed when complete.
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
  /** the folder's name from everything that decides the result, so an interrupted evaluation is found again */
  readonly out: (subject: string) => string;
  /** further contents of the folder, such as the choice of films */
  readonly with?: string;
  /** writes first files, and may return a watcher; `isFresh`: no earlier files are reused */
  readonly begin?: (folder: string, isFresh: boolean) => EpisodeWatcher<StepAction> | null;
  /** writes files after the result */
  readonly end?: (folder: string, result: PpoEvaluation) => void;
}

export interface KeptEvaluation<Scored> {
  /** its name when it is whole */
  readonly folder: string;
  /** its name until then */
  readonly filling: string;
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

/** Journal of the episodes until the evaluation is complete. */
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
      filling: folder,
      known: new Map([...journal.known.values()].map(({ episode, scored }) => [episode, scored])),
      watch: keeping.begin?.(folder, isFresh) ?? null,
      ended: (episode, scored) => journal.add({ episode, scored }),
      finish(result) {
        writeFileAtomic(place.file, `${JSON.stringify(withPublishedNames(result), null, 2)}\n`);
        keeping.end?.(folder, result);
        lock.check();
        // after a kill before the folder is renamed there is something to resume
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
