/** What the page and the trainer say to each other. */
import type { collectEnvironment } from '@emac/datasets';
import type { Learning } from '@emac/experiment';
import type { GameAnswer, GameOrder, MetricsLine, RunView, TeachAnswer, TeachOrder } from '@emac/pages/data';
import type { ShownEpisode } from './newest-episode.ts';

/** A run, as `learn` takes it; its environment and method have names. */
export type Asked = Learning & { readonly environment: string };

/** A dataset that is collected before it is learned. */
export type Collecting = Parameters<typeof collectEnvironment>[0];

/** A file by its path below a folder. */
export interface FolderFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** A run that the tab has. */
export interface TabRun {
  /** its run folder */
  readonly folder: string;
  /** its headline, without curves and episodes */
  readonly view: RunView;
  readonly isDone: boolean;
  /** of all its files, which are in the tab's memory and on its disk */
  readonly bytes: number;
}

/** `code`: the module of the environment of one's own, as it stands on the page. */
export type ToTrainer =
  /** starts the run in its folder, or resumes it there */
  | {
      readonly kind: 'train';
      readonly asked: Asked;
      readonly collecting: Collecting | null;
      readonly code: string;
    }
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
  /** asks whether the tab's GPU computes as the processor does; loads what computes there */
  | { readonly kind: 'check-gpu' }
  /** opens games of a run's environment, played by its policy and by a person */
  | { readonly kind: 'open-game'; readonly folder: string; readonly code: string }
  /** trains a run on what a person gave in its games */
  | { readonly kind: 'learn-given'; readonly folder: string; readonly what: GivenKind; readonly code: string }
  | ({ readonly kind: 'order'; readonly number: number } & PageOrder);

/** Commands as labels, or choices between two as pairs. */
export type GivenKind = 'labels' | 'pairs';

/** What a page of a game or of a training that asks a person orders. */
export type PageOrder =
  | { readonly to: 'game'; readonly order: GameOrder }
  | { readonly to: 'training'; readonly order: TeachOrder };

export type FromTrainer =
  | { readonly kind: 'ready' }
  /** what was asked cannot be done; a training under way goes on */
  | { readonly kind: 'refused'; readonly message: string }
  /** the trainer cannot start */
  | { readonly kind: 'absent'; readonly message: string }
  | { readonly kind: 'note'; readonly text: string }
  /** this run is shown from now on */
  | { readonly kind: 'run'; readonly folder: string }
  | { readonly kind: 'progress'; readonly part: string; readonly done: number; readonly total: number }
  /** lines of `metrics.jsonl` that are new */
  | { readonly kind: 'metrics'; readonly lines: readonly MetricsLine[] }
  | { readonly kind: 'stopped' }
  /** why the GPU is not used; null if it computes as the processor does */
  | { readonly kind: 'gpu'; readonly fault: string | null }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'finished'; readonly seconds: number; readonly on: string }
  /** the run that is shown, without curves and episodes */
  | { readonly kind: 'view'; readonly view: RunView }
  | { readonly kind: 'files'; readonly folder: string; readonly files: readonly FolderFile[] }
  /** the newest recorded episode, and its pictures as PNG files by name */
  | ({ readonly kind: 'episode' } & ShownEpisode)
  | { readonly kind: 'game'; readonly folder: string }
  /** what a person has given in games of this run, for a policy that learns from it */
  | { readonly kind: 'given'; readonly count: Readonly<Record<GivenKind, number>> }
  /** the training asks a person for labels */
  | { readonly kind: 'teaching' }
  /** to the order of this number */
  | { readonly kind: 'answer'; readonly number: number; readonly answer: GameAnswer | TeachAnswer }
  /** all runs of the tab, newest first */
  | { readonly kind: 'runs'; readonly runs: readonly TabRun[] };
