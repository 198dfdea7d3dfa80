/** The report of a sweep as one HTML file: a table of its settings, and learning curves with a band over the seeds of each. */
import { chartsOf, unchanging, type Labelled } from './charts.ts';
import { html } from './html.ts';
import { page } from './page.ts';
import { readRun } from './read-run.ts';
import { curves } from './sections.ts';
import { tableOf } from './table.ts';

/** One choice of settings. */
export interface SweptSettings {
  /** its values in words, such as `lr 0.01` */
  readonly label: string;
  /** one cell for each column */
  readonly cells: readonly string[];
  /** folders of its runs so far, one for each seed */
  readonly runs: readonly string[];
}

export interface SweepReportOptions {
  readonly title: string;
  readonly columns: readonly string[];
  readonly now: Date;
}

/** Errors: those of `readRun`. */
export function sweepReport(
  rows: readonly SweptSettings[],
  { title, columns, now }: SweepReportOptions,
): string {
  const labelled = rows.flatMap(({ label, runs }) =>
    runs.map((folder): Labelled => ({ label, run: readRun(folder, now) })),
  );
  const charts = chartsOf(labelled);
  const main = html`<main>
    <h1>${title}</h1>
    ${tableOf({ label: 'settings and results', columns, rows: rows.map(({ cells }) => cells) })}
    <p class="soft">Intervals are 95 %, over seeds. Bands reach from the lowest to the highest seed.</p>
    ${curves(charts, unchanging(labelled, charts))}
  </main>`;
  return page({ title: `EMAC: ${title}`, main, charts, frames: {}, events: null });
}
