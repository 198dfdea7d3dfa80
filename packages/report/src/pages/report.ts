/** A report: one file with everything in it, of one run, an evaluation, or several runs together. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { layout } from '@emac/runs';
import { attemptTable } from './attempt-table.ts';
import { chartsOf, unchanging } from './charts.ts';
import { chooseEpisodes } from './choose-episodes.ts';
import { html, type Html } from './html.ts';
import { page } from './page.ts';
import { readAttempt } from './read-attempt.ts';
import { readEpisodeOf, readRun } from './read-run.ts';
import type { EpisodeView, RunView } from './run-view.ts';
import { curves, episodeList, labelOf, runTable, summary } from './sections.ts';
import { strip } from './strip.ts';

export interface ReportOptions {
  /** largest number of episodes included with pictures and texts; default 40 */
  readonly episodes?: number;
  readonly now: Date;
}

/**
 * The report of these folders as one HTML file. Of one folder it shows episodes, of several their curves together. Errors: those of
 * `readRun`.
 */
export function report(folders: readonly string[], { episodes = 40, now }: ReportOptions): string {
  const runs = folders.map((folder) => readRun(folder, now));
  const [only] = runs.length === 1 ? runs : [];
  return only ? reportOfOne(folders[0]!, only, episodes) : reportOfMany(runs);
}

function reportOfOne(folder: string, run: RunView, count: number): string {
  const labelled = [{ label: run.name, run }];
  const charts = chartsOf(labelled);
  const strips = new Map<number, EpisodeView>();
  for (const { episode } of chooseEpisodes(run.episodes, count)) {
    const view = episodeThere(folder, episode);
    if (view) strips.set(episode, view);
  }
  const left = run.episodes.length - strips.size;
  const list = episodeList({
    title: 'Episodes',
    episodes: run.episodes.filter(({ episode }) => strips.has(episode)),
    stripOf: ({ episode }) => ({ strip: strip(strips.get(episode)!) }),
    ...(left > 0 && {
      note: `${strips.size} of ${run.episodes.length} episodes: of each type of task the first ones lost and the first ones won.`,
    }),
  });
  return page({
    title: `EMAC: ${labelOf(run)}`,
    main: main(
      labelOf(run),
      html`${summary(run)} ${curves(charts, unchanging(labelled, charts))}
      ${attemptTable(readAttempt(folder))} ${list}`,
    ),
    charts,
    frames: framesOf(folder, [...strips.values()]),
    events: null,
  });
}

function reportOfMany(runs: readonly RunView[]): string {
  const labelled = runs.map((run) => ({ label: labelOf(run), run }));
  const charts = chartsOf(labelled);
  const parts = runs.map(
    (run) =>
      html`<h2>${labelOf(run)}</h2>
        ${summary(run)}`,
  );
  return page({
    title: `EMAC: ${runs.length} runs`,
    main: main(
      `${runs.length} runs`,
      html`${runTable(runs, () => null)} ${curves(charts, unchanging(labelled, charts))} ${parts}`,
    ),
    charts,
    frames: {},
    events: null,
  });
}

function main(heading: string, content: Html): Html {
  return html`<main>
    <h1>${heading}</h1>
    ${content}
  </main>`;
}

/** Null if the episode was not recorded. */
function episodeThere(folder: string, episode: number): EpisodeView | null {
  try {
    return readEpisodeOf(folder, episode);
  } catch {
    return null;
  }
}

/** Pictures of these episodes, each once. */
function framesOf(folder: string, episodes: readonly EpisodeView[]): Record<string, string> {
  const names = new Set(
    episodes.flatMap(({ frames, shown }) => [...frames, ...shown.flatMap((step) => step.frames)]),
  );
  return Object.fromEntries(
    [...names].flatMap((name): [string, string][] => {
      const address = pictureAddress(join(folder, layout.frames, name), name);
      return address === null ? [] : [[name, address]];
    }),
  );
}

const types: Readonly<Record<string, string>> = { '.png': 'image/png', '.jpg': 'image/jpeg' };

/** A picture as a `data:` URL; null if it is missing or its name is no picture's. */
function pictureAddress(path: string, name: string): string | null {
  const type = types[extname(name)];
  if (!type || basename(name) !== name || !existsSync(path)) return null;
  return `data:${type};base64,${readFileSync(path).toString('base64')}`;
}
