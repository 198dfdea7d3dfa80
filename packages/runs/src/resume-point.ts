/**
 * The point where a run can resume: the newest intact checkpoint with the matching parts of metrics and buffers. A
 * damaged checkpoint is reported, and the one before is used.
 */
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { isThere, removeTemporary, verifyPart, whileReading, whileWriting } from '@emac/files';
import { loadCheckpoint, type Checkpoint } from './checkpoint-read.ts';
import { checkpointSteps } from './checkpoint-folders.ts';
import { checkpointName, layout } from './layout.ts';
import type { RunState } from './run-state.ts';

export interface ResumePoint {
  readonly step: number;
  readonly folder: string;
  readonly checkpoint: Checkpoint;
  readonly run: RunState;
}

export interface Found {
  /** null without a checkpoint: the run restarts */
  readonly point: ResumePoint | null;
  /** one sentence for each checkpoint that is damaged */
  readonly damage: readonly string[];
}

/** The newest intact checkpoint. Errors: `data` if all checkpoints are damaged, `auth`. */
export function findResumePoint(folder: string): Found {
  const damage = new Set<string>();
  const checkpoints = join(folder, layout.checkpoints);
  for (const step of checkpointSteps(checkpoints).reverse()) {
    const place = join(checkpoints, checkpointName(step));
    try {
      return { point: intactPoint(folder, place, step), damage: [...damage] };
    } catch (thrown) {
      // an unreadable file is not a damaged one
      if (!(thrown instanceof EmacError) || thrown.code === 'auth') throw thrown;
      damage.add(thrown.message);
    }
  }
  if (damage.size === 0) return { point: null, damage: [] };
  throw new EmacError('data', `${folder}: every checkpoint is damaged: ${[...damage].join('; ')}`);
}

/** Removes leftovers of a killed process: half-written files, and folders of interrupted replacements. */
export function clearLeftovers(folder: string): void {
  const checkpoints = join(folder, layout.checkpoints);
  const { buffers, reference, episodes, frames, attempts, results } = layout;
  for (const part of ['', buffers, reference, episodes, frames, attempts, results, layout.checkpoints])
    if (isThere(join(folder, part))) removeTemporary(join(folder, part));
  for (const name of whileReading(checkpoints, () => readdirSync(checkpoints))) {
    const replaced = /^\.replaced-(\d{8,})$/.exec(name)?.[1];
    if (replaced === undefined) continue;
    const [old, present] = [join(checkpoints, name), join(checkpoints, replaced)];
    whileWriting(present, () =>
      isThere(present) ? rmSync(old, { recursive: true }) : renameSync(old, present),
    );
  }
}

function intactPoint(folder: string, place: string, step: number): ResumePoint {
  const checkpoint = loadCheckpoint(place);
  const run = runState(checkpoint, place);
  if (!checkpoint.optimizer)
    throw new EmacError('data', `${place}: has no optimizer state, as it was made for evaluation only`);
  for (const [file, part] of Object.entries(run.files)) verifyPart(join(folder, file), part);
  return { step, folder: place, checkpoint, run };
}

function runState({ state }: Checkpoint, place: string): RunState {
  const run = state['run'] as Partial<RunState> | undefined;
  if (!run?.files || !run.kept || run.best === undefined)
    throw new EmacError('data', `${place}: its state.json does not list its files`);
  return run as RunState;
}
