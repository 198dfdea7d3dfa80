/**
 * Curves from the lines of `metrics.jsonl`: every number in a kind of line is a series over the lines of that kind. So
 * new kinds of lines and numbers appear without a change here.
 */
import { groupBy } from './group-by.ts';

/** One line of metrics: a kind and its numbers. */
export type MetricsLine = Readonly<Record<string, unknown>> & { readonly kind: string };

export interface Series {
  /** kind of line and name of the number, as `update loss` */
  readonly name: string;
  /** meaning of x */
  readonly over: 'updates' | 'lines';
  /** the line's update count if it has one, else its index among lines of its kind, from 1 */
  readonly x: readonly number[];
  readonly y: readonly number[];
  /** steps in the environment until then; null if the lines do not count them */
  readonly steps: readonly number[] | null;
  /** seconds of work until then, without pauses; null if unknown */
  readonly seconds: readonly number[] | null;
}

/** Numbers that locate a line and are not measurements. */
const places = new Set(['v', 'update', 'round', 'episode', 'place', 'epoch']);

/** The series of these lines, in order of their names' first appearance. `seconds`: of each line. */
export function seriesOf(lines: readonly MetricsLine[], seconds: readonly number[] | null = null): Series[] {
  return [...groupBy(lines.keys(), (place) => lines[place]!.kind)].flatMap(([kind, places]) =>
    seriesOfKind(
      kind,
      places.map((place) => lines[place]!),
      seconds && places.map((place) => seconds[place]!),
    ),
  );
}

function seriesOfKind(
  kind: string,
  lines: readonly MetricsLine[],
  seconds: readonly number[] | null,
): Series[] {
  const over = lines.every(({ update }) => typeof update === 'number') ? 'updates' : 'lines';
  const counts = lines.every((line) => typeof line['environment_steps'] === 'number');
  const at = lines.map((line, index) => (over === 'updates' ? Number(line['update']) : index + 1));
  const names = new Set(
    lines.flatMap((line) => Object.keys(line).filter((name) => isMeasured(name, line[name]))),
  );
  return [...names].map((name) => {
    const having = [...lines.keys()].filter((place) => typeof lines[place]![name] === 'number');
    return {
      name: `${kind} ${name}`,
      over,
      x: having.map((place) => at[place]!),
      y: having.map((place) => Number(lines[place]![name])),
      seconds: seconds && having.map((place) => seconds[place]!),
      steps: counts ? having.map((place) => Number(lines[place]!['environment_steps'])) : null,
    };
  });
}

/** Whether a property of a line is a number that was measured. */
export function isMeasured(name: string, value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && !places.has(name);
}
