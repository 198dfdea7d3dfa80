/**
 * Curves from the lines of `metrics.jsonl`, whatever they measure: every number of a kind of line is a series over the lines of that
 * kind. So a method that writes new kinds or numbers is seen without a word here.
 */

import { groupBy } from './group-by.ts';

/** One line of metrics: a kind, and what it says. */
export type MetricsLine = Readonly<Record<string, unknown>> & { readonly kind: string };

export interface SeriesPoint {
  /** updates done where the lines count them, else the number of the line among those of its kind, from 1 */
  readonly x: number;
  readonly y: number;
  readonly round: number | null;
  /** kind of the task, where a line names a game */
  readonly type: string | null;
}

export interface Series {
  /** kind of line and name of the number, as `update loss` */
  readonly name: string;
  /** what x counts */
  readonly over: 'updates' | 'lines';
  readonly points: readonly SeriesPoint[];
}

/** Numbers that say where a line stands, not what was measured. */
const places = new Set(['v', 'update', 'round', 'episode', 'place', 'epoch']);

/** The series of these lines, in the order in which their names first appear. */
export function seriesOf(lines: readonly MetricsLine[]): Series[] {
  return [...groupBy(lines, ({ kind }) => kind)].flatMap(([kind, own]) => seriesOfKind(kind, own));
}

function seriesOfKind(kind: string, lines: readonly MetricsLine[]): Series[] {
  const over = lines.every(({ update }) => typeof update === 'number') ? 'updates' : 'lines';
  const names = new Set(
    lines.flatMap((line) => Object.keys(line).filter((name) => isMeasured(name, line[name]))),
  );
  return [...names].map((name) => ({
    name: `${kind} ${name}`,
    over,
    points: lines.flatMap((line, index): SeriesPoint[] => {
      const y = line[name];
      if (typeof y !== 'number') return [];
      const x = over === 'updates' ? Number(line['update']) : index + 1;
      return [{ x, y, round: numberOrNull(line['round']), type: typeOf(line['game']) }];
    }),
  }));
}

/** Whether a property of a line is a number that was measured. */
export function isMeasured(name: string, value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && !places.has(name);
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

/** `pick_and_place_simple-Box-None-Sofa-L2/trial_…` is a `pick_and_place_simple`. */
function typeOf(game: unknown): string | null {
  if (typeof game !== 'string') return null;
  const end = game.indexOf('-');
  return end > 0 ? game.slice(0, end) : null;
}
