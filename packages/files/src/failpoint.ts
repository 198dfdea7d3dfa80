/**
 * Named places in the code that writes, where a test may look on or interfere: kill the process, or throw what a full
 * disk would. A test facility: nothing listens in ordinary use. The table is complete, so that a test can try every
 * one of them.
 */
export const failpoints = [
  /** what a run of training is about to do */
  'acting',
  'updating',
  'reflecting',
  'measuring',
  /** a file or folder that is old or new, never half */
  'file-written',
  'file-renamed',
  'folder-made',
  'folder-file-written',
  'folder-manifest-written',
  'folder-renamed',
  /** a line or record that was appended and is not yet synced */
  'appended',
  /** a folder in place of another */
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
  /** an evaluation whose folder has its name, and whose journal is still there */
  'result-named',
  /** the same of an evaluation inside a run */
  'evaluation-stored',
] as const;

export type Failpoint = (typeof failpoints)[number];

let listener: ((name: Failpoint) => void) | null = null;

/** A place where a test may interfere. */
export function failpoint(name: Failpoint): void {
  listener?.(name);
}

/** From now on every failpoint that is passed calls `interfere`; null ends that. */
export function onFailpoint(interfere: ((name: Failpoint) => void) | null): void {
  listener = interfere;
}
