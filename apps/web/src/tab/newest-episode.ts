/** The newest episode that a run has recorded, with its pictures. */
import { join } from 'pathe';
import type { EpisodeView } from '@emac/pages/data';
import { tabDisk } from '@emac/platform/tab';
import { readEpisode } from '@emac/report';
import { layout } from '@emac/runs';

export interface ShownEpisode {
  readonly view: EpisodeView;
  /** PNG files by name */
  readonly pictures: Readonly<Record<string, Uint8Array>>;
}

/** Null if none is over; `shown` is the number of the one before, which is not read again. */
export function newestEpisode(folder: string, shown: number | null): ShownEpisode | null {
  const place = join(folder, layout.episodes);
  if (!tabDisk.existsSync(place)) return null;
  const name = tabDisk
    .readdirSync(place)
    .map(String)
    .findLast((each) => isOver(join(place, each)));
  if (name === undefined || Number.parseInt(name, 10) === shown) return null;
  const view = readEpisode(join(place, name));
  const names = new Set([view, ...view.shown].flatMap(({ frames }) => frames));
  const pictures = [...names].flatMap((file) => {
    const path = join(folder, layout.frames, file);
    return tabDisk.existsSync(path) ? [[file, tabDisk.readFileSync(path) as Uint8Array] as const] : [];
  });
  return { view, pictures: Object.fromEntries(pictures) };
}

function isOver(path: string): boolean {
  return (tabDisk.readFileSync(path, 'utf8') as string).includes('"kind":"episode-end"');
}
