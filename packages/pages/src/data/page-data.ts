/** What stands inside a page that is one file. */
import type { Labelled } from './charts.ts';
import type { EpisodeView, RunView } from './run-view.ts';

export type PageData = RunFile | RunsFile | TablesFile;

/** One run with some of its episodes. */
export interface RunFile {
  readonly kind: 'run';
  readonly run: RunView;
  readonly episodes: readonly EpisodeView[];
  /** pictures as `data:` URLs by name */
  readonly frames: Readonly<Record<string, string>>;
}

/** Several runs together. */
export interface RunsFile {
  readonly kind: 'runs';
  readonly runs: readonly RunView[];
}

/** Tables of text, such as a comparison of policies or a sweep. */
export interface TablesFile {
  readonly kind: 'tables';
  readonly title: string;
  readonly tables: readonly PageTable[];
  /** paragraphs below */
  readonly notes: readonly string[];
  /** shown at the end, loaded when they come into view */
  readonly pictures: readonly PagePicture[];
  /** learning curves; equal labels are one line with a band */
  readonly curves: readonly Labelled[];
}

/** The first column names a row, the others are numbers. */
export interface PageTable {
  readonly name: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | TextCell)[])[];
}

export interface TextCell {
  readonly text: string;
  /** address relative to the page */
  readonly href: string;
}

export interface PagePicture {
  readonly title: string;
  /** address relative to the page */
  readonly src: string;
}
