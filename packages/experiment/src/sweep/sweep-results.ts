/** The results of a sweep: of each choice of settings the mean over its seeds, with an interval. */
import type { EvaluationResult } from '@emac/rollout';
import { isDone } from '@emac/runs';
import { storedEvaluation } from '../life/evaluations.ts';
import { runOfCell } from './run-of-cell.ts';
import type { StoppedSettings } from './stop-worst.ts';
import type { SweepCell } from './sweep-file.ts';

/** A mean over seeds, and its 95 % interval by Student's t; null for a single seed. */
export interface OverSeeds {
  readonly mean: number;
  readonly interval: readonly [number, number] | null;
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
  const after = done
    ? storedEvaluation<EvaluationResult & { readonly mean_return?: number }>(run, 'after')
    : null;
  return { seed, run, done, success: after?.success ?? null, mean_return: after?.mean_return ?? null };
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
  const count = known.length;
  if (count === 0) return null;
  const mean = known.reduce((sum, value) => sum + value, 0) / count;
  if (count === 1) return { mean, interval: null };
  const variance = known.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1);
  const half = quantile(count - 1) * Math.sqrt(variance / count);
  return { mean, interval: [mean - half, mean + half] };
}

/** Student's t, two-sided 95 %, of 1 to 30 degrees of freedom (any table); above these the normal's. */
const quantiles = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];

function quantile(freedom: number): number {
  return quantiles[freedom - 1] ?? 1.96;
}
