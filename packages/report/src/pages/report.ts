/** A report: one file with everything in it, of one run, an evaluation, several runs together, or tables. */
import { existsSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { readInside } from '@emac/files';
import { labelOf, type EpisodeView, type PageData, type TablesFile } from '@emac/pages/data';
import { pageFile } from '@emac/pages/whole-page';
import { layout } from '@emac/runs';
import { chooseEpisodes } from './choose-episodes.ts';
import { readEpisodeOf, readRun } from './read-run.ts';

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
  const [run] = runs;
  if (run === undefined || runs.length > 1)
    return pageFile(`EMAC: ${runs.length} runs`, { kind: 'runs', runs });
  return pageFile(`EMAC: ${labelOf(run)}`, reportOfOne(folders[0]!, run, episodes));
}

/** A page of tables and curves as one HTML file, such as a comparison of policies or a sweep. */
export function tablesPage(page: Omit<TablesFile, 'kind'>): string {
  return pageFile(`EMAC: ${page.title}`, { kind: 'tables', ...page });
}

function reportOfOne(folder: string, run: ReturnType<typeof readRun>, count: number): PageData {
  const episodes = chooseEpisodes(run.episodes, count).flatMap(
    ({ episode }) => episodeThere(folder, episode) ?? [],
  );
  return { kind: 'run', run, episodes, frames: framesOf(folder, episodes) };
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
      const address = pictureAddress(folder, name);
      return address === null ? [] : [[name, address]];
    }),
  );
}

const types: Readonly<Record<string, string>> = { '.png': 'image/png', '.jpg': 'image/jpeg' };

/** A picture as a `data:` URL; null if it is missing or its name is no picture's. */
function pictureAddress(folder: string, name: string): string | null {
  const path = join(layout.frames, name);
  const type = types[extname(name)];
  if (!type || basename(name) !== name || !existsSync(join(folder, path))) return null;
  return `data:${type};base64,${readInside(folder, path).toString('base64')}`;
}
