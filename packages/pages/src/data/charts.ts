/** The charts of one run or of several, grouped by what matters. */
import { bandOf, type Axis } from './bands.ts';
import { groupBy } from './group-by.ts';
import type { Series } from './series.ts';

export type ChartGroup = 'success and return' | 'losses' | 'more';

/** A chart with its lines; metrics with equal x are averaged. */
export interface ChartData {
  readonly title: string;
  readonly group: ChartGroup;
  /** meaning of x */
  readonly over: Series['over'] | 'steps in the environment' | TimeUnit;
  readonly lines: readonly DataLine[];
}

export interface DataLine {
  readonly name: string;
  readonly colour: number;
  readonly x: readonly number[];
  readonly y: readonly number[];
  /** lowest and highest of several runs; absent for one */
  readonly band?: { readonly low: readonly number[]; readonly high: readonly number[] };
}

/** Runs of equal label are one line with a band. */
export interface Labelled {
  readonly label: string;
  readonly colour: number;
  readonly series: readonly Series[];
}

/** A chart for every series that changes, what matters first; for a single run, a sum and its parts are one chart. */
export function chartsOf(runs: readonly Labelled[], axis: Axis = 'updates'): ChartData[] {
  const [only] = runs.length === 1 ? runs : [];
  const sums = only ? sumsOf(only.series, axis) : [];
  const parts = new Set(sums.flatMap(({ of }) => of));
  const charts = [
    ...sums.map(({ chart }) => chart),
    ...chartsByName(runs, axis).filter(({ title }) => !parts.has(title)),
  ];
  return charts.map(inUnits).sort((a, b) => placeOf(a) - placeOf(b));
}

function placeOf({ title, group }: ChartData): number {
  if (group === 'success and return')
    return [/ success$/, /return/].findIndex((first) => first.test(title)) >>> 0;
  return 2 ** 32 + (group === 'losses' ? 0 : 1);
}

function groupOf(title: string): ChartGroup {
  const name = title.slice(title.indexOf(' ') + 1);
  if (/_(std|max|length)$|^frac_/.test(name)) return 'more';
  if (/success|return|reward|accuracy|exact_match|bleu|margin/.test(name)) return 'success and return';
  return /loss/.test(name) ? 'losses' : 'more';
}

function chartsByName(runs: readonly Labelled[], axis: Axis): ChartData[] {
  const names = new Set(runs.flatMap(({ series }) => series.map(({ name }) => name)));
  return [...names].flatMap((title): ChartData[] => {
    const named = runs.flatMap(({ label, colour, series }) =>
      series.filter(({ name }) => name === title).map((one) => ({ label, colour, one })),
    );
    const lines = [...groupBy(named, ({ label }) => label)].map(([name, own]) =>
      lineOf(
        { name, colour: own[0]!.colour },
        own.map(({ one }) => one),
        axis,
      ),
    );
    if (!lines.some(({ y, band }) => changes(y) || changes(band?.high ?? []))) return [];
    return [{ title, group: groupOf(title), over: overOf(named[0]!.one, axis), lines }];
  });
}

const overOf = ({ over }: Series, axis: Axis): ChartData['over'] =>
  (({ updates: over, steps: 'steps in the environment', time: 'seconds of work' }) as const)[axis];

export type TimeUnit = 'seconds of work' | 'minutes of work' | 'hours of work';

/** Times in a unit in which the longest has at most three digits. */
function inUnits(chart: ChartData): ChartData {
  if (chart.over !== 'seconds of work') return chart;
  const longest = chart.lines.reduce((most, { x }) => Math.max(most, x.at(-1) ?? 0), 0);
  const [over, size]: readonly [TimeUnit, number] =
    longest < 180
      ? ['seconds of work', 1]
      : longest < 7200
        ? ['minutes of work', 60]
        : ['hours of work', 3600];
  const lines = chart.lines.map((line) => ({ ...line, x: line.x.map((seconds) => seconds / size) }));
  return { ...chart, over, lines };
}

function lineOf(named: Pick<DataLine, 'name' | 'colour'>, series: readonly Series[], axis: Axis): DataLine {
  const { x, mean, low, high } = bandOf(series, axis);
  return { ...named, x, y: mean, ...(series.length > 1 && { band: { low, high } }) };
}

/** A sum and its parts in one chart, such as a composite reward. */
function sumsOf(series: readonly Series[], axis: Axis) {
  return series.flatMap((sum): { readonly chart: ChartData; readonly of: readonly string[] }[] => {
    const parts = series.filter(({ name }) => name.startsWith(`${sum.name}_`) && !name.endsWith('_std'));
    if (parts.length < 2 || !isSum(sum, parts)) return [];
    const lines = [sum, ...parts].map((each, colour) =>
      lineOf({ name: each.name.slice(each.name.indexOf(' ') + 1), colour }, [each], axis),
    );
    const title = `${sum.name} and what it is the sum of`;
    const chart: ChartData = { title, group: groupOf(sum.name), over: overOf(sum, axis), lines };
    return lines.some(({ y }) => changes(y)) ? [{ chart, of: [sum, ...parts].map(({ name }) => name) }] : [];
  });
}

/** At every x, up to rounding. */
function isSum({ x, y }: Series, parts: readonly Series[]): boolean {
  return y.every((value, place) => {
    if (!parts.every((part) => part.x[place] === x[place])) return false;
    const sum = parts.reduce((total, part) => total + part.y[place]!, 0);
    return Math.abs(sum - value) <= 1e-6 * Math.max(1, Math.abs(value));
  });
}

/** Names and values of the series without a change, since they are constant in all runs; formatted for a sentence. */
export function unchanging(runs: readonly Labelled[], charts: readonly ChartData[]): string[] {
  const drawn = new Set(charts.map(({ title }) => title));
  const still = runs.flatMap(({ series }) =>
    series.filter(({ name, y }) => !drawn.has(name) && y.length > 0 && !changes(y)),
  );
  return [...new Set(still.map(({ name, y }) => `${name} ${y[0]!}`))];
}

function changes(values: readonly number[]): boolean {
  return values.some((value) => value !== values[0]);
}

/** Exponential moving average, corrected for its start (as in TensorBoard); `weight` of the past, 0 to below 1. */
export function smoothed(values: readonly (number | null)[], weight: number): (number | null)[] {
  let [last, count] = [0, 0];
  return values.map((value) => {
    if (value === null) return null;
    last = weight * last + (1 - weight) * value;
    return last / (1 - weight ** ++count);
  });
}

/** Lines in one list of x, with null where a line has no value. */
export function aligned(lines: readonly DataLine[]) {
  const x = [...new Set(lines.flatMap((line) => line.x))].sort((a, b) => a - b);
  const place = new Map(x.map((value, index) => [value, index]));
  const spread = (line: DataLine, values: readonly number[]) => {
    const out = new Array<number | null>(x.length).fill(null);
    for (const [index, value] of line.x.entries()) out[place.get(value)!] = values[index]!;
    return out;
  };
  return {
    x,
    lines: lines.map(({ band, ...line }) => ({
      name: line.name,
      colour: line.colour,
      values: spread(line, line.y),
      ...(band && { band: { low: spread(line, band.low), high: spread(line, band.high) } }),
    })),
  };
}
