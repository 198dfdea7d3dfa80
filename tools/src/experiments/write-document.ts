/** Fills the tables and charts of a hand-written document from `reproduce`'s results. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createFolder, writeFileAtomic } from '@emac/files';
import { labelChart, phaseChart } from './charts.ts';
import { tables } from './tables.ts';

/** Rewrites the text between `<!-- table: NAME -->` and `<!-- /table -->`, and the charts in `results/` beside it. */
export function writeDocument(file: string, out: string): void {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  writeFileAtomic(
    file,
    filled(text, (name) => tables[name]?.(out)),
  );
  const folder = join(dirname(file), 'results');
  createFolder(folder);
  writeFileAtomic(join(folder, 'labels.svg'), labelChart(out));
  writeFileAtomic(join(folder, 'phases.svg'), phaseChart(out));
}

/** The document with each block replaced; a name that means nothing is an error. */
export function filled(text: string, tableOf: (name: string) => string | undefined): string {
  return text.replace(/<!-- table: ([\w-]+) -->[^]*?<!-- \/table -->/g, (_, name: string) => {
    const table = tableOf(name);
    if (table === undefined) throw new Error(`unknown table ${name}`);
    return `<!-- table: ${name} -->\n\n${table}\n\n<!-- /table -->`;
  });
}
