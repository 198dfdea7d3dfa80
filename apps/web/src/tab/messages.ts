/** What the page and the trainer say to each other. */
import type { Learning } from '@emac/experiment';
import type { EpisodeView, GameAnswer, GameOrder } from '@emac/pages/data';

/** A run, as `learn` takes it; its environment and method have names. */
export type Asked = Learning & { readonly environment: string };

/** A file by its path below a folder. */
export interface FolderFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** A run that the tab has. */
export interface TabRun {
  /** its run folder */
  readonly folder: string;
  readonly name: string;
  readonly method: string;
  readonly isDone: boolean;
  /** of all its files, which are in the tab's memory and on its disk */
  readonly bytes: number;
}

/** `code`: the module of the environment of one's own, as it stands on the page. */
export type ToTrainer =
  /** starts the run in its folder, or resumes it there */
  | { readonly kind: 'train'; readonly asked: Asked; readonly code: string }
  /** continues a run that was stopped, also one that was imported */
  | { readonly kind: 'resume'; readonly folder: string; readonly code: string }
  /** stops after the step that is under way; `train` and `resume` go on */
  | { readonly kind: 'stop' }
  /** asks for a run's lines and results */
  | { readonly kind: 'show'; readonly folder: string }
  /** asks for all files below a folder */
  | { readonly kind: 'files'; readonly folder: string }
  /** takes runs from elsewhere: the files of a folder or of an archive */
  | { readonly kind: 'import'; readonly name: string; readonly files: readonly FolderFile[] }
  | { readonly kind: 'remove'; readonly folder: string }
  /** opens games of a run's environment, played by its policy and by a person */
  | { readonly kind: 'open-game'; readonly folder: string; readonly code: string }
  | { readonly kind: 'order'; readonly number: number; readonly order: GameOrder };

export type FromTrainer =
  | { readonly kind: 'ready' }
  /** the trainer cannot start */
  | { readonly kind: 'absent'; readonly message: string }
  | { readonly kind: 'note'; readonly text: string }
  /** this run is shown from now on */
  | { readonly kind: 'run'; readonly folder: string }
  | { readonly kind: 'progress'; readonly part: string; readonly done: number; readonly total: number }
  /** lines of `metrics.jsonl` that are new */
  | { readonly kind: 'metrics'; readonly lines: readonly MetricsLine[] }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'finished'; readonly seconds: number }
  | { readonly kind: 'results'; readonly results: Results }
  | { readonly kind: 'files'; readonly files: readonly FolderFile[] }
  /** the newest recorded episode, and its pictures as PNG files by name */
  | {
      readonly kind: 'episode';
      readonly view: EpisodeView;
      readonly pictures: Readonly<Record<string, Uint8Array>>;
    }
  | { readonly kind: 'game'; readonly folder: string }
  /** to the order of this number */
  | { readonly kind: 'answer'; readonly number: number; readonly answer: GameAnswer }
  /** all runs of the tab, newest first */
  | { readonly kind: 'runs'; readonly runs: readonly TabRun[] };

export type MetricsLine = Readonly<Record<string, unknown>>;

/** Shares of held-out episodes that were won; null if none were played. */
export interface Results {
  readonly before: number | null;
  readonly after: number | null;
}
