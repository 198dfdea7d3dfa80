/**
 * Learning curves as a chart: a number of `metrics.jsonl`, averaged over blocks of updates, as mean, lowest and highest
 * of the seeds.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { successChart, type Point } from './chart.ts';

export interface Curve<Line> {
  readonly name: string;
  /** a run of each seed */
  readonly runs: readonly string[];
  /** a line's number from 0 to 1; null for an update without one */
  readonly valueOf: (line: Line) => number | null;
}

/** As long as the shortest run; `together` updates are a point. */
export function learningCurves<Line>(
  title: string,
  curves: readonly Curve<Line>[],
  together: number,
): string {
  const series = curves.map(({ name, runs, valueOf }) => {
    const seeds = runs.map((run) => linesOf<Line>(run).map(valueOf));
    return { name, points: pointsOf(seeds, together) };
  });
  return successChart(title, series);
}

function linesOf<Line>(run: string): Line[] {
  const lines = readFileSync(join(run, 'metrics.jsonl'), 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Line);
}

function pointsOf(seeds: readonly (readonly (number | null)[])[], together: number): Point[] {
  const updates = Math.min(...seeds.map(({ length }) => length));
  return Array.from({ length: Math.floor(updates / together) }, (_, part) => {
    const from = part * together;
    const means = seeds.map((seed) => mean(seed.slice(from, from + together)));
    const label = `${from + 1}–${from + together}`;
    return { label, value: mean(means), low: Math.min(...means), high: Math.max(...means) };
  });
}

function mean(values: readonly (number | null)[]): number {
  const known = values.filter((value) => value !== null);
  return known.reduce((sum, value) => sum + value, 0) / known.length;
}
