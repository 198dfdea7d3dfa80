/**
 * Curves from the lines of `metrics.jsonl`: every number in a kind of line is a series over the lines of that kind. So
 * new kinds of lines and numbers appear without a change here.
 */

import { groupBy } from './group-by.ts';

/** One line of metrics: a kind and its numbers. */
export type MetricsLine = Readonly<Record<string, unknown>> & { readonly kind: string };

export interface SeriesPoint {
  /** the line's update count if it has one, else its index among lines of its kind, from 1 */
  readonly x: number;
  readonly y: number;
  readonly round: number | null;
  /** task type, for lines that name a game */
  readonly type: string | null;
}

export interface Series {
  /** kind of line and name of the number, as `update loss` */
  readonly name: string;
  /** meaning of x */
  readonly over: 'updates' | 'lines';
  readonly points: readonly SeriesPoint[];
}

/** Numbers that locate a line and are not measurements. */
const places = new Set(['v', 'update', 'round', 'episode', 'place', 'epoch']);

/** The series of these lines, in order of their names' first appearance. */
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
