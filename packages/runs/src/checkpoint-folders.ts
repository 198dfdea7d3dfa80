/**
 * The checkpoints of a run. Order matters: growing files are synced before the checkpoint that holds their length.
 * `latest` is updated once the checkpoint is complete; old checkpoints are removed last.
 */
import { readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  failpoint,
  isThere,
  syncFolder,
  temporaryBeside,
  whileReading,
  whileWriting,
  writeFileAtomic,
  type AppendFile,
} from '@emac/files';
import { writeCheckpoint, type CheckpointContent } from './checkpoint-write.ts';
import { checkpointName, layout } from './layout.ts';
import type { RunState } from './run-state.ts';
import { stepsThatStay, type Standing } from './standing.ts';

/** A file that only grows, as a checkpoint holds it. */
export type GrowingFile = Pick<AppendFile, 'length' | 'sha256' | 'sync'>;

export interface RunMoment {
  readonly standing: Standing;
  /** by their names in the run folder */
  readonly files: ReadonlyMap<string, GrowingFile>;
}

/** Writes a checkpoint with the run's own state, updates its names, and removes old checkpoints. */
export function writeMoment(
  checkpoints: string,
  content: CheckpointContent,
  { standing, files }: RunMoment,
): string {
  failpoint('checkpoint-begins');
  for (const file of files.values()) file.sync();
  failpoint('checkpoint-files-synced');
  const parts = [...files].map(([name, file]) => [name, { length: file.length, sha256: file.sha256() }]);
  const run: RunState = { ...standing, files: Object.fromEntries(parts) };
  const written = writeCheckpoint(checkpoints, { ...content, state: { ...content.state, run } });
  failpoint('checkpoint-written');
  nameCheckpoints(checkpoints, standing, content.step);
  removeOthers(checkpoints, stepsThatStay(standing, content.step));
  return written;
}

/**
 * Updates `best` and `latest`. The best may be missing if a kill interrupted the end of a run that keeps only its last;
 * then the latest is the best.
 */
export function nameCheckpoints(checkpoints: string, { best }: Standing, step: number): void {
  const isThereStill = best !== null && isThere(join(checkpoints, checkpointName(best.step)));
  if (best) pointAt(join(checkpoints, layout.best), isThereStill ? best.step : step);
  failpoint('checkpoint-best-named');
  pointAt(join(checkpoints, layout.latest), step);
  failpoint('checkpoint-latest-named');
}

/** Keeps the last checkpoint only, which is then the best too. */
export function keepLast(checkpoints: string): void {
  const last = checkpointSteps(checkpoints).at(-1);
  if (last === undefined) return;
  pointAt(join(checkpoints, layout.best), last);
  removeOthers(checkpoints, new Set([last]));
}

/**
 * Removes every checkpoint that does not stay; each vanishes at once, a kill leaves a hidden rest at most. The new names
 * are on disk before any file goes: after a power cut a checkpoint that can be seen is whole.
 */
export function removeOthers(checkpoints: string, stay: ReadonlySet<number>): void {
  const others = checkpointSteps(checkpoints).filter((step) => !stay.has(step));
  const hidden = others.map((step) => {
    const folder = join(checkpoints, checkpointName(step));
    const aside = temporaryBeside(folder);
    whileWriting(folder, () => {
      renameSync(folder, aside);
      failpoint('checkpoint-set-aside');
    });
    return aside;
  });
  if (hidden.length > 0) whileWriting(checkpoints, () => syncFolder(checkpoints));
  for (const aside of hidden)
    whileWriting(aside, () => {
      rmSync(aside, { recursive: true });
      failpoint('checkpoint-removed');
    });
}

/** Steps of the checkpoints that are there, ascending. */
export function checkpointSteps(checkpoints: string): number[] {
  const names = whileReading(checkpoints, () => readdirSync(checkpoints));
  return names
    .filter((name) => /^\d{8,}$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

function pointAt(pointer: string, step: number): void {
  const text = `${checkpointName(step)}\n`;
  if (textOf(pointer) !== text) writeFileAtomic(pointer, text);
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
