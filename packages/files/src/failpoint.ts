/**
 * Named places in writing code where a test can observe or interfere: kill the process, or throw the error of a full
 * disk. For tests only: nothing listens in ordinary use. The table is complete, so a test can try every failpoint.
 */
export const failpoints = [
  /** the next action of a training run */
  'acting',
  'updating',
  'reflecting',
  'measuring',
  /** an atomically replaced file or folder */
  'file-written',
  'file-renamed',
  'folder-made',
  'folder-file-written',
  'folder-manifest-written',
  'folder-renamed',
  /** a line or record that is appended but not yet synced */
  'appended',
  /** one folder replaced by another */
  'replaced-set-aside',
  'replaced-in-place',
  /** the moments of a checkpoint */
  'checkpoint-begins',
  'checkpoint-files-synced',
  'checkpoint-written',
  'checkpoint-best-named',
  'checkpoint-latest-named',
  'checkpoint-set-aside',
  'checkpoint-removed',
  /** the moments of a run */
  'run-prepared',
  'run-visible',
  'run-locked',
  'run-evaluated',
  'run-recorded',
  'run-done',
  /** an evaluation whose folder has its name, before its journal is deleted */
  'result-named',
  /** the same for an evaluation inside a run */
  'evaluation-stored',
] as const;

export type Failpoint = (typeof failpoints)[number];

let listener: ((name: Failpoint) => void) | null = null;

/** A place where a test may interfere. */
export function failpoint(name: Failpoint): void {
  listener?.(name);
}

/** From now on every failpoint calls `interfere`; null removes it. */
export function onFailpoint(interfere: ((name: Failpoint) => void) | null): void {
  listener = interfere;
}
