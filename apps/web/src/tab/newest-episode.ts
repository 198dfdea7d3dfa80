/** The newest episode that a run has kept, with its pictures: of its evaluation after training, of training, or of the evaluation before. */
import { join } from 'pathe';
import type { EpisodeView } from '@emac/pages/data';
import { tabDisk } from '@emac/platform/tab';
import { readEpisode } from '@emac/report';
import { layout } from '@emac/runs';

export interface ShownEpisode {
  /** its file */
  readonly path: string;
  /** where it was played, for people */
  readonly when: string;
  readonly view: EpisodeView;
  /** PNG files by name */
  readonly pictures: Readonly<Record<string, Uint8Array>>;
}

/** newest first */
const places = [
  { below: join(layout.evaluated, 'after'), when: 'held-out, after training' },
  { below: '', when: 'in training' },
  { below: join(layout.evaluated, 'before'), when: 'held-out, before training' },
];

/** Null if none is over; `shown` is the file of the one before, which is not read again. */
export function newestEpisode(run: string, shown: string | null): ShownEpisode | null {
  for (const { below, when } of places) {
    const folder = join(run, below);
    const path = newestIn(join(folder, layout.episodes));
    if (path === null) continue;
    return path === shown ? null : { path, when, ...episodeIn(folder, path) };
  }
  return null;
}

function newestIn(folder: string): string | null {
  if (!tabDisk.existsSync(folder)) return null;
  const paths = tabDisk.readdirSync(folder).map((name) => join(folder, String(name)));
  return paths.findLast(isOver) ?? null;
}

function episodeIn(folder: string, path: string): Pick<ShownEpisode, 'view' | 'pictures'> {
  const view = readEpisode(path);
  const names = new Set([view, ...view.shown].flatMap(({ frames }) => frames));
  const pictures = [...names].flatMap((name) => {
    const file = join(folder, layout.frames, name);
    return tabDisk.existsSync(file) ? [[name, tabDisk.readFileSync(file) as Uint8Array] as const] : [];
  });
  return { view, pictures: Object.fromEntries(pictures) };
}

function isOver(path: string): boolean {
  return (tabDisk.readFileSync(path, 'utf8') as string).includes('"kind":"episode-end"');
}
