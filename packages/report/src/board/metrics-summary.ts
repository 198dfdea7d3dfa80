/** What a row of the list says of `metrics.jsonl`, brought up to date line by line. */
import { isMeasured, mostOfCurve, type MetricsLine } from '@emac/pages/data';
import { nothingRead, type ReadSoFar } from './appended-lines.ts';

export interface Extent {
  last: number;
  low: number;
  high: number;
}

/** Plain data, so that it can be stored. */
export interface MetricsSummary {
  read: ReadSoFar;
  /** by kind of line, then by name */
  numbers: Record<string, Record<string, Extent>>;
  /** updates made: the highest number of one, and one more since the first is 0 */
  updates: number;
  /** steps of rounds that are over: their mean over the episodes played */
  stepsOfRounds: number;
  /** success while it trained, by kind of line */
  curves: Record<string, Curve>;
}

/** Every `step`-th of `count` values. */
export interface Curve {
  values: number[];
  step: number;
  count: number;
}

/** so that the last value of all can follow */
const mostValues = mostOfCurve - 1;

export function emptySummary(): MetricsSummary {
  return { read: nothingRead, numbers: {}, updates: 0, stepsOfRounds: 0, curves: {} };
}

/** Changes the summary. Lines without a kind are skipped. */
export function summarize(summary: MetricsSummary, lines: readonly object[]): void {
  for (const line of lines as readonly MetricsLine[]) {
    const { kind } = line;
    if (typeof kind !== 'string') continue;
    const numbers = own(summary.numbers, kind) ?? (summary.numbers[kind] = {});
    for (const name in line) {
      const value = line[name];
      if (isMeasured(name, value)) widen(numbers, name, value);
    }
    const { update, mean_steps: steps, played, success } = line;
    if (isMeasured('success', success))
      extend(
        own(summary.curves, kind) ?? (summary.curves[kind] = { values: [], step: 1, count: 0 }),
        success,
      );
    if (kind === 'update' && typeof update === 'number')
      summary.updates = Math.max(summary.updates, update + 1);
    if (kind === 'round' && typeof steps === 'number' && typeof played === 'number')
      summary.stepsOfRounds += Math.round(steps * played);
  }
}

/** When the values are too many, every second one stays. */
function extend(curve: Curve, value: number): void {
  if (curve.count++ % curve.step !== 0) return;
  if (curve.values.length === mostValues) {
    curve.values = curve.values.filter((_value, place) => place % 2 === 0);
    curve.step *= 2;
    if ((curve.count - 1) % curve.step !== 0) return;
  }
  curve.values.push(value);
}

/** At most `mostOfCurve` values, the last of all behind them. */
export function curveValues({ values, step, count }: Curve, last: number): readonly number[] {
  return (count - 1) % step === 0 ? values : [...values, last];
}

function widen(numbers: Record<string, Extent>, name: string, value: number): void {
  const extent = own(numbers, name);
  if (!extent) {
    numbers[name] = { last: value, low: value, high: value };
    return;
  }
  extent.last = value;
  if (value < extent.low) extent.low = value;
  if (value > extent.high) extent.high = value;
}

/** Not what every object has, such as `constructor`. */
export function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
