/** Pages of runs that may be in progress, for a server: strips and pictures are fetched on demand. */
import { join } from 'node:path';
import { parse } from 'yaml';
import { attemptTable } from './attempt-table.ts';
import { chartsOf, unchanging } from './charts.ts';
import { groupBy } from './group-by.ts';
import { html, type Html } from './html.ts';
import { page } from './page.ts';
import { readAttempt } from './read-attempt.ts';
import { readEpisodeOf, readRun } from './read-run.ts';
import type { RunView } from './run-view.ts';
import { curves, episodeList, labelOf, runTable, summary } from './sections.ts';
import { strip } from './strip.ts';

const events = '/events';
const addressOf = (name: string) => `/run/${encodeURIComponent(name)}`;

/** One run with all its episodes. Errors: those of `readRun`. */
export function runPage(folder: string, { now }: { readonly now: Date }): string {
  const run = readRun(folder, now);
  const labelled = [{ label: run.name, run }];
  const charts = chartsOf(labelled);
  const address = addressOf(run.name);
  const list = episodeList({
    title: 'Episodes',
    episodes: run.episodes,
    stripOf: ({ episode }) => ({ address: `${address}/episode/${episode}` }),
  });
  const main = html`<main>
    <p><a href="/">all runs</a></p>
    <h1>${labelOf(run)}</h1>
    ${summary(run)} ${curves(charts, unchanging(labelled, charts))} ${attemptTable(readAttempt(folder))}
    ${list}
  </main>`;
  return page({ title: `EMAC: ${labelOf(run)}`, main, charts, frames: {}, events });
}

/** The strip of one episode, to be put into a run's page. Errors: `missing`. */
export function stripPage(folder: string, episode: number): string {
  const run = folder.split(/[/\\]/).at(-1)!;
  return strip(readEpisodeOf(folder, episode), (name) => `${addressOf(run)}/frames/${name}`).markup;
}

export interface Comparing {
  /** names of the runs below the folder */
  readonly names: readonly string[];
  /** names of the runs to draw together; empty: all */
  readonly chosen: readonly string[];
  readonly now: Date;
}

/** A table of all runs, and the curves of the chosen ones. */
export function comparePage(folder: string, { names, chosen, now }: Comparing): string {
  const runs = names.flatMap((name) => readable(join(folder, name), now));
  const drawn = runs.filter(({ name }) => chosen.length === 0 || chosen.includes(name));
  const labels = labelsOf(drawn);
  const labelled = drawn.map((run, place) => ({ label: labels[place]!, run }));
  const charts = chartsOf(labelled);
  const main = html`<main>
    <h1>Runs</h1>
    ${runs.length === 0 ? html`<p>There is no run in this folder yet. It appears here as soon as one begins.</p>` : null}
    ${runs.length > 0 ? chooser(runs, drawn) : null}
    ${runs.length > 0 ? runTable(runs, ({ name }) => addressOf(name)) : null}
    ${curves(charts, unchanging(labelled, charts))}
  </main>`;
  return page({ title: 'EMAC: runs', main, charts, frames: {}, events });
}

/** Runs whose settings differ only in the seed form one line with a band, as do repetitions of one seed. */
function labelsOf(runs: readonly RunView[]): string[] {
  const compared = runs.map(comparedBy);
  const alike = groupBy(runs.keys(), (place) => compared[place]!.settings);
  return runs.map((_run, place) => {
    const group = alike.get(compared[place]!.settings)!;
    if (group.length === 1) return labelOf(runs[place]!);
    const seeds = new Set(group.map((one) => compared[one]!.seed)).size;
    return `${countOf(group.length, seeds)} of ${runs[group[0]!]!.name}`;
  });
}

function countOf(runs: number, seeds: number): string {
  if (seeds === runs) return `${seeds} seeds`;
  return `${runs} runs (${seeds === 1 ? 'one seed' : `${seeds} seeds`})`;
}

/** The settings without the seed; the run's name if its configuration is unreadable. */
function comparedBy({ config, name }: RunView): { settings: string; seed: unknown } {
  if (config === null) return { settings: name, seed: null };
  try {
    const { seed, drawn: _drawn, given: _given, ...settings } = parse(config) as Record<string, unknown>;
    return { settings: JSON.stringify(settings), seed };
  } catch {
    return { settings: name, seed: null };
  }
}

function chooser(runs: readonly RunView[], drawn: readonly RunView[]): Html {
  return html`<form method="get">
    <fieldset>
      <legend>Curves of</legend>
      ${runs.map(
        ({ name }) =>
          html`<label
              ><input
                type="checkbox"
                name="run"
                value="${name}"
                ${drawn.some((each) => each.name === name) ? 'checked' : ''}
              />
              ${name}</label
            ><br />`,
      )}
      <button>show these</button>
    </fieldset>
  </form>`;
}

/** Skips a damaged folder, so the others stay visible. */
function readable(folder: string, now: Date): RunView[] {
  try {
    return [readRun(folder, now)];
  } catch {
    return [];
  }
}
