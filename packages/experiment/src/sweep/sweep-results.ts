/** The results of a sweep: of each choice of settings the mean over its seeds, with an interval. */
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { meanInterval, meanOf, type EvaluationResult, type Interval } from '@emac/rollout';
import { isDone, layout, readConfig } from '@emac/runs';
import { storedEvaluation } from '../life/evaluations.ts';
import { runOfCell } from './run-of-cell.ts';
import type { StoppedSettings } from './stop-worst.ts';
import type { SweepCell } from './sweep-file.ts';

/** A mean over seeds, and its 95 % interval by Student's t; null for a single seed. */
export interface OverSeeds {
  readonly mean: number;
  readonly interval: Interval | null;
}

export interface SweepSeed {
  readonly seed: number;
  /** null before it begins */
  readonly run: string | null;
  readonly done: boolean;
  /** of the evaluation after training; null without one */
  readonly success: number | null;
  readonly mean_return: number | null;
}

export interface SweepRow {
  readonly settings: SweepCell['settings'];
  readonly seeds: readonly SweepSeed[];
  readonly success: OverSeeds | null;
  readonly mean_return: OverSeeds | null;
  /** absent for settings that were not stopped */
  readonly stopped?: StoppedSettings;
}

/** In the order of the cells. */
export function sweepResults(
  cells: readonly SweepCell[],
  folderOf: (cell: SweepCell) => string,
  stopped: ReadonlyMap<number, StoppedSettings> = new Map(),
): readonly SweepRow[] {
  const rows = new Map<number, SweepCell[]>();
  for (const cell of cells) rows.set(cell.number, [...(rows.get(cell.number) ?? []), cell]);
  return [...rows].map(([number, own]) => {
    const halted = stopped.get(number);
    const seeds = own.map((cell) => seedOf(cell, folderOf(cell)));
    return {
      settings: own[0]!.settings,
      seeds,
      success: asShare(overSeeds(seeds.map(({ success }) => success))),
      mean_return: overSeeds(seeds.map((each) => each.mean_return)),
      ...(halted && { stopped: halted }),
    };
  });
}

function seedOf({ seed }: SweepCell, folder: string): SweepSeed {
  const run = runOfCell(folder);
  const done = run !== null && isDone(run);
  const after = done ? evaluationOf(run) : null;
  return { seed, run, done, success: after?.success ?? null, mean_return: after?.mean_return ?? null };
}

/** Null for a run that evaluates nothing. Errors: `missing` if it is lost, which would count as no result. */
function evaluationOf(run: string): EvaluationResult | null {
  const found = storedEvaluation<EvaluationResult>(run, 'after');
  const { evaluation } = readConfig(run) as { evaluation?: { episodes?: unknown } };
  if (!found && Number(evaluation?.episodes) > 0)
    throw new EmacError(
      'missing',
      `${join(run, layout.evaluation)}: does not exist, but the run is done; delete the folder of the run, and the same command makes it again`,
    );
  return found;
}

/** The interval cut at 0 and 1. */
function asShare(found: OverSeeds | null): OverSeeds | null {
  if (found?.interval == null) return found;
  const [low, high] = found.interval;
  return { ...found, interval: [Math.max(0, low), Math.min(1, high)] };
}

/** Of the seeds that have a value; null if none has. */
export function overSeeds(values: readonly (number | null)[]): OverSeeds | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : { mean: meanOf(known), interval: meanInterval(known) };
}
