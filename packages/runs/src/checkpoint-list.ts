/** Lists, checks, compares and prunes the checkpoints of a run. */
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError, type ParameterSet } from '@emac/core';
import { whileReading } from '@emac/files';
import { checkpointSteps, removeOthers } from './checkpoint-folders.ts';
import { loadCheckpoint } from './checkpoint-read.ts';
import { checkpointMoment, endsRound, type CheckpointMoment } from './checkpoint-moment.ts';
import { checkpointFiles, checkpointName, layout } from './layout.ts';
import { lockRun } from './lock.ts';
import { readRecord } from './run-record.ts';

export interface ListedCheckpoint {
  /** eight digits */
  readonly name: string;
  readonly folder: string;
  readonly bytes: number;
  readonly isLatest: boolean;
  readonly isBest: boolean;
  /** training progress; null if the state does not hold it */
  readonly moment: CheckpointMoment | null;
}

/** The checkpoints of a run, oldest first. Errors: `missing` if the folder has none. */
export function listCheckpoints(run: string): ListedCheckpoint[] {
  const checkpoints = join(run, layout.checkpoints);
  if (!existsSync(checkpoints))
    throw new EmacError('missing', `${checkpoints}: does not exist; give the folder of a run`);
  const [latest, best] = [layout.latest, layout.best].map((which) => textIn(join(checkpoints, which)));
  return checkpointSteps(checkpoints).map((step) => {
    const name = checkpointName(step);
    const folder = join(checkpoints, name);
    const bytes = readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
    const [isLatest, isBest] = [name === latest, name === best];
    return { name, folder, bytes, isLatest, isBest, moment: checkpointMoment(stateIn(folder)) };
  });
}

/** The steps at which a round ended. */
export function storedRoundEnds(checkpoints: string, steps: readonly number[]): Set<number> {
  return new Set(steps.filter((step) => endsRound(stateIn(join(checkpoints, checkpointName(step))))));
}

/** A checkpoint's training state; empty if its file is missing or damaged. */
function stateIn(folder: string): object {
  const text = textIn(join(folder, checkpointFiles.state)) ?? '{}';
  try {
    return (JSON.parse(text) as object | null) ?? {};
  } catch {
    return {};
  }
}

/**
 * Removes all checkpoints of a run, ends of rounds too, except the newest `keep`, the latest and the best; returns the
 * removed names. Errors: `missing`, `cannot-create` while a process holds the run.
 */
export function pruneCheckpoints(run: string, keep: number): string[] {
  readRecord(run);
  const lock = lockRun(run);
  try {
    const listed = listCheckpoints(run);
    const stay = listed.filter(
      ({ isLatest, isBest }, place) => isLatest || isBest || place >= listed.length - keep,
    );
    removeOthers(join(run, layout.checkpoints), new Set(stay.map(({ name }) => Number(name))));
    return listed.filter((each) => !stay.includes(each)).map(({ name }) => name);
  } finally {
    lock.release();
  }
}

/** The fault of a checkpoint; null if every file matches its manifest. */
export function checkpointFault(folder: string): string | null {
  try {
    loadCheckpoint(folder);
    return null;
  } catch (thrown) {
    if (thrown instanceof EmacError && thrown.code !== 'internal') return thrown.message;
    throw thrown;
  }
}

export interface TensorDifference {
  readonly name: string;
  /** null if only one has it, or the shapes differ */
  readonly largest: number | null;
  /** Euclidean norm of the difference over the first's norm, infinite if only the first is zero; null as above */
  readonly relative: number | null;
}

/** How two sets of parameters differ, tensor by tensor, in the order of their names. */
export function parameterDifferences(first: ParameterSet, second: ParameterSet): TensorDifference[] {
  const names = [...new Set([...first.keys(), ...second.keys()])].sort();
  return names.map((name) => {
    const [one, other] = [first.get(name), second.get(name)];
    if (!one || !other || one.shape.join() !== other.shape.join())
      return { name, largest: null, relative: null };
    let [largest, squares, norm] = [0, 0, 0];
    one.data.forEach((value, index) => {
      const difference = other.data[index]! - value;
      largest = Math.max(largest, Math.abs(difference));
      squares += difference * difference;
      norm += value * value;
    });
    return { name, largest, relative: norm > 0 ? Math.sqrt(squares / norm) : squares > 0 ? Infinity : 0 };
  });
}

/** The text of a small file; null if missing. */
function textIn(path: string): string | null {
  return existsSync(path) ? whileReading(path, () => readFileSync(path, 'utf8')).trim() : null;
}
