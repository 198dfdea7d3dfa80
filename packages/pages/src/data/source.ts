/** Where a page's data come from: a server, the page itself, or a tab. */
import type { TablesFile } from './page-data.ts';
import type { RunRow, RunRows } from './run-row.ts';
import type { EpisodeView, RunView } from './run-view.ts';

export interface Source {
  rows(): Promise<RunRows>;
  run(name: string): Promise<RunView>;
  /** the report of a comparison or a sweep, its addresses made this source's */
  tables(name: string): Promise<TablesFile>;
  episode(name: string, episode: number): Promise<EpisodeView>;
  /** address of a picture; null if it is not there */
  frame(name: string, file: string): string | null;
  /** address of a result's page; null if it has none */
  address(row: Pick<RunRow, 'name' | 'kind'>): string | null;
  /** address of these runs side by side, `run=A&run=B`; null if it has none */
  comparison(query: string): string | null;
  /** Calls with the names of what has changed, null for everything, until the returned function is called. */
  follow(changed: (names: readonly string[] | null) => void): () => void;
  /** Keeps a name, a note or a star; null where nothing may be written. */
  readonly note: ((name: string, change: NoteChange) => Promise<void>) | null;
}

export type NoteChange = Partial<Pick<RunRow, 'title' | 'note' | 'isStarred'>>;
