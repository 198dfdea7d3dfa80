/** A comparison of policies for people: its text, its page, and its films. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Comparison, FilmedTask } from '@emac/experiment';
import { createFolder, writeFileAtomic } from '@emac/files';
import type { PagePicture } from '@emac/pages/data';
import { tablesPage } from '@emac/report';
import type { Io } from '../terminal/io.ts';
import { table } from '../terminal/table.ts';
import { comparisonLines, differenceTable, policyTable } from './comparison-report.ts';
import { sideBySideFilm } from './side-by-side.ts';
import { writeReport } from './write-report.ts';

/** Tables and sentences. */
export function comparisonText(comparison: Comparison): string {
  const tables = [policyTable(comparison), differenceTable(comparison)];
  const drawn = tables.flatMap((each) => (each ? [table(each.head, each.rows)] : []));
  return [...drawn, ...comparisonLines(comparison)].join('\n');
}

/** Writes `films/NUMBER.gif` of a task, and notes it. Earlier films are deleted at the first. */
export function filming(out: string, pictures: PagePicture[]) {
  return (film: FilmedTask): void => {
    const src = `films/${String(film.number).padStart(6, '0')}.gif`;
    if (pictures.length === 0) rmSync(join(out, 'films'), { recursive: true, force: true });
    createFolder(join(out, 'films'));
    writeFileAtomic(join(out, src), sideBySideFilm(film));
    pictures.push({ title: film.task.id, src });
  };
}

export interface ComparisonPage {
  readonly comparison: Comparison;
  readonly pictures?: readonly PagePicture[];
}

/** The page of a comparison, with a link to each policy's own report. */
export function writeComparisonPage(
  out: string,
  { comparison, pictures = [] }: ComparisonPage,
  io: Io,
): void {
  const { head, rows } = policyTable(comparison);
  const linked = rows.map(([name, ...others], place) => {
    const { folder } = comparison.policies[place]!;
    if (folder === null) return [name!, ...others];
    writeReport(join(out, folder), { ...io, isQuiet: true });
    return [{ text: name!, href: `${folder}/report.html` }, ...others];
  });
  const differences = differenceTable(comparison);
  const tables = [
    { name: 'Policies', head, rows: linked },
    ...(differences ? [{ name: 'Paired differences', ...differences }] : []),
  ];
  const title = `policies in ${comparison.env ?? 'ALFWorld'}`;
  const notes = comparisonLines(comparison);
  writeFileAtomic(join(out, 'report.html'), tablesPage({ title, tables, notes, pictures, curves: [] }));
}
