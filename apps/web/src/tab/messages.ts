/** What the page and the trainer say to each other. */
import type { Learning } from '@emac/experiment';

/** A run, as `learn` takes it; its environment and method have names. */
export type Asked = Learning & { readonly environment: string };

export type ToTrainer =
  /** starts the run in its folder, or resumes it there */
  | { readonly kind: 'train'; readonly asked: Asked }
  /** stops after the step that is under way; `train` resumes */
  | { readonly kind: 'stop' }
  /** asks for all files below a folder */
  | { readonly kind: 'files'; readonly folder: string };

export type FromTrainer =
  | { readonly kind: 'ready' }
  /** the trainer cannot start */
  | { readonly kind: 'absent'; readonly message: string }
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'run'; readonly folder: string }
  | { readonly kind: 'progress'; readonly part: string; readonly done: number; readonly total: number }
  /** a line of `metrics.jsonl` */
  | { readonly kind: 'metrics'; readonly line: Readonly<Record<string, unknown>> }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly message: string }
  | {
      readonly kind: 'finished';
      readonly folder: string;
      /** shares of held-out episodes that were won */
      readonly before: number | null;
      readonly after: number | null;
      readonly seconds: number;
    }
  | {
      readonly kind: 'files';
      readonly files: readonly { readonly path: string; readonly bytes: Uint8Array }[];
    };
