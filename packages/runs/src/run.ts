/**
 * Starts a run, or resumes one that was killed: reopens it at its newest intact checkpoint and cuts off later output.
 */
import { join } from 'node:path';
import { canonicalJson, failpoint, isThere, writeFileAtomic } from '@emac/files';
import { stringify } from 'yaml';
import { nameCheckpoints, removeOthers } from './checkpoint-folders.ts';
import { layout } from './layout.ts';
import { lockRun, type RunLock } from './lock.ts';
import { openRun, type Run } from './open-run.ts';
import { clearLeftovers, findResumePoint, type ResumePoint } from './resume-point.ts';
import { createRunFolder, makeParts, runName } from './run-folder.ts';
import { configHash, continuedRecord, newRecord, readRecord, writeRecord } from './run-record.ts';
import type { RunRecord } from './run-record.ts';
import { stepsThatStay } from './standing.ts';

export interface RunOptions {
  /** parent folder of the run's folder */
  readonly out: string;
  readonly phase: string;
  /** the method's name, for the folder's; default the phase */
  readonly method?: string;
  /** the name that a person gives it */
  readonly title?: string;
  readonly seed: number;
  /** the resolved configuration; no keys or other secrets */
  readonly config: object;
  readonly versions: Readonly<Record<string, string>>;
  readonly now: () => Date;
  /** number of checkpoints to keep besides the best; null for all, the default */
  readonly keep?: number | null;
  /** name of the run that this one follows */
  readonly previous?: string;
  /** writes further files before the folder becomes visible */
  readonly prepare?: (folder: string) => void;
}

/** A run that only this process may resume. */
export interface HeldRun {
  readonly record: RunRecord;
  /** null without a checkpoint: the run restarts in its folder */
  readonly point: ResumePoint | null;
  /** one sentence per damaged, skipped checkpoint */
  readonly damage: readonly string[];
  /** Resumes from `point`; later output is cut off. Errors: `io`, `data`. */
  goOn(options: Pick<RunOptions, 'versions' | 'now' | 'keep'>): Run;
  /** lets go without having changed anything that counts */
  release(): void;
}

/** Makes the folder of a new run and begins it. Errors: `cannot-create`, `io`. */
export function createRun(options: RunOptions): Run {
  const { out, phase, method, title, seed, config, versions, previous, now, keep = null, prepare } = options;
  const time = now();
  const started = time.toISOString();
  const fields = { phase, seed, config: configHash(config), versions, started };
  const folder = createRunFolder(
    out,
    runName({ phase: method ?? phase, seed, config, time }),
    (made, name) => {
      makeParts(made);
      writeFileAtomic(join(made, layout.config), configText(config));
      prepare?.(made);
      writeRecord(
        made,
        newRecord({
          name,
          ...fields,
          ...(method !== undefined && method !== phase && { method }),
          ...(title !== undefined && { title }),
          ...(previous !== undefined && { previous }),
        }),
      );
    },
  );
  const lock = lockRun(folder);
  return whileHeld(lock, () => openRun({ folder, record: readRecord(folder), lock, point: null, keep, now }));
}

/** Releases the run if it cannot be opened. */
function whileHeld<T>(lock: RunLock, action: () => T): T {
  try {
    return action();
  } catch (thrown) {
    lock.release();
    throw thrown;
  }
}

/**
 * Locks a run that was killed, interrupted or failed, and finds its resume point. Errors: `missing`, `cannot-create`
 * while another process holds it, `data` if nothing is intact.
 */
export function holdRun(folder: string): HeldRun {
  readRecord(folder);
  const lock = lockRun(folder);
  return whileHeld(lock, () => {
    failpoint('run-locked');
    makeParts(folder);
    clearLeftovers(folder);
    const { point, damage } = findResumePoint(folder);
    const record = readRecord(folder);
    return {
      record,
      point,
      damage,
      goOn({ versions, now, keep = null }) {
        return whileHeld(lock, () => {
          const continued = continuedRecord({ ...record, versions });
          writeRecord(folder, continued);
          if (point) nameAndPrune(folder, point);
          return openRun({ folder, record: continued, lock, point, keep, now });
        });
      },
      release: () => lock.release(),
    };
  });
}

/** True for a complete run. */
export function isDone(folder: string): boolean {
  return isThere(join(folder, layout.done));
}

/** YAML with sorted keys, so that equal configurations give equal files. */
function configText(config: object): string {
  return stringify(JSON.parse(canonicalJson(config)));
}

/** Finishes steps that a kill may have left undone after a checkpoint was written. */
function nameAndPrune(folder: string, { step, run }: ResumePoint): void {
  const checkpoints = join(folder, layout.checkpoints);
  nameCheckpoints(checkpoints, run, step);
  removeOthers(checkpoints, stepsThatStay(run, step));
}
