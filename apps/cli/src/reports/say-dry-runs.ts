/** Outputs of a dry run's plans. */
import type { DryRun } from '@emac/dry-run';
import { dryRunText } from './dry-run-text.ts';
import { say, type Io } from '../terminal/io.ts';

interface Saying {
  /** one object on standard output, words on standard error */
  readonly json: boolean;
  /** no text beside the result; warnings stay */
  readonly quiet: boolean;
  readonly io: Pick<Io, 'stdout' | 'stderr'>;
}

/** For several phases in a row; as JSON `{"runs": […]}` in one line. */
export function sayDryRuns(runs: readonly DryRun[], { json, quiet, io: { stdout, stderr } }: Saying): void {
  const words = json ? stderr : stdout;
  for (const run of runs)
    if (!json || !quiet) say(words, dryRunText(run));
    else for (const each of run.warnings) say(stderr, `warning: ${each}`);
  if (json) say(stdout, JSON.stringify({ runs }));
}

/** Puts the sentence before the first run's notes; null for none. */
export function withNote(runs: readonly DryRun[], note: string | null): readonly DryRun[] {
  return runs.map((run, place) =>
    note === null || place > 0 ? run : { ...run, notes: [note, ...run.notes] },
  );
}
