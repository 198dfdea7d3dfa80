/**
 * The place of an evaluation's result, with every finished episode on disk: the same evaluation resumes there after an interruption. A new
 * folder is filled as `NAME.part` by one process at a time, and renamed when complete.
 */
import { EmacError } from '@emac/core';
import { writeFileAtomic } from '@emac/files';
import { layout, lockRun } from '@emac/runs';
import type { EvaluationConfig } from '@emac/settings';
import { journalOf, openResultJournal, type PlayJournal } from './journal.ts';
import { openResultPlace } from './result-place.ts';

export interface KeptEvaluation extends PlayJournal {
  /** its name when it is whole; null if nothing or only a file is kept */
  readonly folder: string | null;
  /** its name until then */
  readonly filling: string | null;
  /** Stores the result's file; `beside` writes further files into the folder. Errors: `cannot-create`, `io`. */
  finish(text: string, beside?: (folder: string) => void): void;
  /** lets go of it, whole or not */
  close(): void;
}

/** Journal of the episodes until the evaluation is complete. */
export const journalName = journalOf(layout.evaluation);

export interface KeptAs {
  /** a folder, whose name ends in a slash if it is new, or a file; null keeps nothing */
  readonly out: string | null;
  /** everything that decides the result: an interrupted evaluation of another subject starts again */
  readonly subject: string;
}

/** Errors: `usage` for traces that have no folder. */
export function requirePlaceOfTraces(
  { traces, out }: Pick<EvaluationConfig, 'traces' | 'out'>,
  { folder }: Pick<KeptEvaluation, 'folder'>,
): void {
  if (traces && folder === null)
    throw new EmacError(
      'usage',
      `--traces: are written beside the result, but --out ${out ?? 'none'} is no folder; give the name of a folder, such as results/`,
    );
}

/** Errors: `cannot-create` naming the process that is at work there, or for a wrong place; `io`, `data`. */
export function openKeptEvaluation({ out, subject }: KeptAs): KeptEvaluation {
  if (out === null) {
    const nothing = () => {};
    return { folder: null, filling: null, lines: [], add: nothing, finish: nothing, close: nothing };
  }
  const place = openResultPlace(out);
  const { folder } = place;
  const lock = folder === null ? null : lockRun(folder, 'evaluation');
  const held: (() => void)[] = [() => lock?.release()];
  const close = (): void => {
    const next = held.shift();
    if (!next) return;
    try {
      next();
    } finally {
      close();
    }
  };
  try {
    const journal = openResultJournal(journalOf(place.file), subject);
    held.unshift(() => journal.close());
    if (journal.lines.length === 0) place.clear();
    const name = folder && out.replace(/[/\\]+$/, '');
    return {
      folder: name,
      filling: folder,
      lines: journal.lines,
      add: journal.add,
      finish(text, beside) {
        writeFileAtomic(place.file, text);
        if (folder !== null) beside?.(folder);
        lock?.check();
        // after a kill before the folder is renamed there is something to resume
        journal.close();
        place.finish();
        held.splice(0, held.length, () => lock?.release(name!));
        journal.remove(journalOf(place.named));
        close();
      },
      close,
    };
  } catch (thrown) {
    close();
    throw thrown;
  }
}
