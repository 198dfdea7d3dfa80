/**
 * Successive halving (Jamieson and Talwalkar 2016): after a share of the updates the worse half of the settings is stopped. Compared
 * are means over the updates since the stop before, then over seeds, so that a resumed sweep decides the same.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { isThere, whileReading } from '@emac/files';
import { layout } from '@emac/runs';
import { runOfCell } from './run-of-cell.ts';
import type { SweepCell, SweepFile } from './sweep-file.ts';

/** Settings that were stopped. */
export interface StoppedSettings {
  /** of the updates */
  readonly share: number;
  /** the mean that was compared; null if no update had one */
  readonly measure: number | null;
}

/** Updates of a run with these settings, as `emac config show` has them. Errors: `config` for a method without updates. */
export function updatesOfRun(config: unknown): number {
  const { play = {} } = (config ?? {}) as { readonly play?: Readonly<Record<string, unknown>> };
  const { updates, environmentSteps, stepsPerUpdate, environments } = play;
  if (typeof updates === 'number') return updates;
  const steps = Number(stepsPerUpdate) * Number(environments);
  if (typeof environmentSteps === 'number' && steps > 0) return Math.ceil(environmentSteps / steps);
  throw new EmacError(
    'config',
    'stop-worst: is for methods that count updates, ppo and those of grpo; leave it out',
  );
}

/** The update after which a run is compared, 1 at least. */
export function updateAt(share: number, updates: number): number {
  return Math.max(1, Math.ceil(share * updates));
}

/** Errors: `config` if two stops of a run fall on one update, as the later one would compare nothing. */
export function requireApart({ after }: NonNullable<SweepFile['stop-worst']>, updates: number): void {
  const places = after.map((share) => updateAt(share, updates));
  if (new Set(places).size < places.length)
    throw new EmacError(
      'config',
      `stop-worst.after: must name different updates, got ${after.join(', ')} of ${updates}, which are ${places.join(', ')}; give runs of more updates, or other shares`,
    );
}

export interface Comparing {
  readonly stopWorst: NonNullable<SweepFile['stop-worst']>;
  /** updates of a cell's run */
  readonly updatesOf: (cell: SweepCell) => number;
  readonly folderOf: (cell: SweepCell) => string;
}

/** By number of settings, those stopped at the first `stops` shares. All their runs must have come so far. */
export function stoppedSettings(
  cells: readonly SweepCell[],
  stops: number,
  { stopWorst: { after, by }, updatesOf, folderOf }: Comparing,
): ReadonlyMap<number, StoppedSettings> {
  const stopped = new Map<number, StoppedSettings>();
  for (const [place, share] of after.slice(0, stops).entries()) {
    const before = after[place - 1] ?? 0;
    const measures = new Map<number, (number | null)[]>();
    for (const cell of cells) {
      if (stopped.has(cell.number)) continue;
      const updates = updatesOf(cell);
      const from = before === 0 ? 0 : updateAt(before, updates);
      const values = valuesOf(folderOf(cell), by, [from, updateAt(share, updates)]);
      measures.set(cell.number, [...(measures.get(cell.number) ?? []), mean(values)]);
    }
    const ranked = [...measures]
      .map(([number, seeds]) => ({ number, measure: mean(seeds.filter((each) => each !== null)) }))
      // equal ones: the earlier settings stay
      .sort((a, b) => (b.measure ?? -Infinity) - (a.measure ?? -Infinity) || a.number - b.number);
    for (const { number, measure } of ranked.slice(Math.ceil(ranked.length / 2)))
      stopped.set(number, { share, measure });
  }
  return stopped;
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Updates that a cell's run has made so far. */
export function updatesMade(folder: string): number {
  return linesOf(folder).length;
}

/** Of the updates after `from` up to `to`, counted from 1. Errors: `config` if no line has such a number. */
function valuesOf(folder: string, by: string, [from, to]: readonly [number, number]): number[] {
  const lines = linesOf(folder).slice(from, to);
  if (lines.length > 0 && lines.every((line) => line[by] === undefined)) {
    const numbers = Object.keys(lines[0]!).filter((name) => typeof lines[0]![name] === 'number');
    throw new EmacError(
      'config',
      `stop-worst.by: must be a number of ${join(folder, '…', layout.metrics)}, got ${by}; it has ${numbers.join(', ')}`,
    );
  }
  return lines.flatMap((line) => (typeof line[by] === 'number' ? [line[by]] : []));
}

function linesOf(folder: string): Readonly<Record<string, unknown>>[] {
  const run = runOfCell(folder);
  if (run === null) return [];
  const path = join(run, layout.metrics);
  if (!isThere(path)) return [];
  const text = whileReading(path, () => readFileSync(path, 'utf8'));
  // a line under way has no end yet
  const lines = text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '');
  const all = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  return all.filter(({ kind }) => kind === 'update');
}
