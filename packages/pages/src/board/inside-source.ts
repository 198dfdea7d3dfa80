/** Runs that stand inside the page: nothing is fetched. */
import type { RunFile, RunsFile, TablesFile } from '../data/page-data.ts';
import { rowOfView } from '../data/row-of-view.ts';
import type { Source } from '../data/source.ts';

const nothing: Pick<RunFile, 'episodes' | 'frames'> = { episodes: [], frames: {} };

export function insideSource(file: RunFile | RunsFile): Source {
  const runs = file.kind === 'run' ? [file.run] : file.runs;
  const { episodes, frames } = file.kind === 'run' ? file : nothing;
  const found = async <T>(value: T | undefined): Promise<T> => {
    if (value === undefined) throw new Error('This is not in the report.');
    return value;
  };
  return {
    rows: async () => ({ runs: runs.map(rowOfView), unread: 0 }),
    run: (name) => found(runs.find((run) => run.name === name)),
    tables: () => found<TablesFile>(undefined),
    episode: (_name, number) => found(episodes.find(({ episode }) => episode === number)),
    frame: (_name, name) => frames[name] ?? null,
    address: () => null,
    comparison: () => null,
    follow: () => () => undefined,
    note: null,
  };
}
