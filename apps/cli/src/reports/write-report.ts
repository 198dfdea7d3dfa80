/** The report at the end of a run or an evaluation. */
import { join } from 'node:path';
import { messageOf } from '@emac/core';
import { writeFileAtomic } from '@emac/files';
import { report } from '@emac/report';
import { say, type Io } from '../terminal/io.ts';

/** Writes `report.html` into the folder and prints its path; a failure is reported and loses nothing else. */
export function writeReport(
  folder: string,
  {
    stdout,
    stderr,
    now,
    isQuiet = false,
  }: Pick<Io, 'stdout' | 'stderr' | 'now'> & { readonly isQuiet?: boolean },
): void {
  const file = join(folder, 'report.html');
  try {
    writeFileAtomic(file, report([folder], { now: new Date(now()) }));
    if (!isQuiet) say(stdout, `report: ${file}`);
  } catch (thrown) {
    say(stderr, `no report: ${messageOf(thrown)}`);
  }
}
