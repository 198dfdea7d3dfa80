/** Curves of one run or of several, as figures that the page's script draws. */
import { bandOf } from './bands.ts';
import { groupBy } from './group-by.ts';
import { html, type Html } from './html.ts';
import type { RunView } from './run-view.ts';
import type { Series } from './series.ts';

/** One figure with its lines; metrics with equal x are averaged. */
export interface Chart {
  readonly title: string;
  /** meaning of x */
  readonly over: Series['over'];
  readonly lines: readonly {
    readonly name: string;
    readonly x: readonly number[];
    readonly y: readonly number[];
    /** lowest and highest of several runs; absent for one */
    readonly band?: { readonly low: readonly number[]; readonly high: readonly number[] };
  }[];
}

/** Runs of equal label, shown as one line with a band. */
export interface Labelled {
  readonly label: string;
  readonly run: Pick<RunView, 'series'>;
}

/** A chart for every series that changes, by first appearance of its name; for a single run, sums come first. */
export function chartsOf(runs: readonly Labelled[]): Chart[] {
  const [only] = runs.length === 1 ? runs : [];
  return [...(only ? sumsOf(only.run.series) : []), ...chartsByName(runs)];
}

function chartsByName(runs: readonly Labelled[]): Chart[] {
  const names = new Set(runs.flatMap(({ run }) => run.series.map(({ name }) => name)));
  return [...names].flatMap((title): Chart[] => {
    const groups = groupBy(
      runs.flatMap(({ label, run }) =>
        run.series.filter(({ name }) => name === title).map((series) => ({ label, series })),
      ),
      ({ label }) => label,
    );
    const lines = [...groups].map(([name, own]) =>
      lineOf(
        name,
        own.map(({ series }) => series),
      ),
    );
    const over = [...groups.values()][0]![0]!.series.over;
    return lines.some(({ y, band }) => changes(y) || changes(band?.high ?? []))
      ? [{ title, over, lines }]
      : [];
  });
}

function lineOf(name: string, series: readonly Series[]): Chart['lines'][number] {
  const { x, mean, low, high } = bandOf(series);
  return { name, x, y: mean, ...(series.length > 1 && { band: { low, high } }) };
}

/** A sum and its parts in one figure, such as a composite reward. */
function sumsOf(series: readonly Series[]): Chart[] {
  return series.flatMap((sum): Chart[] => {
    const parts = series.filter(({ name }) => name.startsWith(`${sum.name}_`) && !name.endsWith('_std'));
    if (parts.length < 2 || !isSum(sum, parts)) return [];
    const lines = [sum, ...parts].map((each) => lineOf(each.name.slice(each.name.indexOf(' ') + 1), [each]));
    const title = `${sum.name} and what it is the sum of`;
    return lines.some(({ y }) => changes(y)) ? [{ title, over: sum.over, lines }] : [];
  });
}

/** At every x, up to rounding. */
function isSum({ points }: Series, parts: readonly Series[]): boolean {
  return points.every(({ x, y }, place) => {
    const own = parts.map((part) => part.points[place]);
    if (!own.every((point) => point?.x === x)) return false;
    const sum = own.reduce((total, point) => total + point!.y, 0);
    return Math.abs(sum - y) <= 1e-6 * Math.max(1, Math.abs(y));
  });
}

/** Names and values of the series without a chart, since they are constant in all runs; formatted for a sentence. */
export function unchanging(runs: readonly Labelled[], charts: readonly Chart[]): string[] {
  const drawn = new Set(charts.map(({ title }) => title));
  const still = runs.flatMap(({ run }) =>
    run.series.filter(({ name, points }) => !drawn.has(name) && points.length > 0),
  );
  return [...new Set(still.map(({ name, points }) => `${name} ${points[0]!.y}`))];
}

function changes(values: readonly number[]): boolean {
  return values.some((value) => value !== values[0]);
}

/** A figure with its caption in words, and a place for the drawing; `index` is the chart's place in the page's data. */
export function figure({ title, over, lines }: Chart, index: number): Html {
  return html`<figure>
    <figcaption>
      <strong>${title}</strong> over ${over === 'updates' ? 'updates' : 'its lines'}:
      ${lines.map(({ name, y }, place) => html`${place > 0 ? '; ' : ''}${lines.length > 1 ? `${name} ` : ''}${span(y)}`)}
    </figcaption>
    <div class="plot" data-chart="${index}" role="img" aria-label="curve of ${title}"></div>
  </figure>`;
}

/** `0.342 → 0.034 (lowest 0.033, highest 0.342)` */
function span(y: readonly number[]): string {
  const number = (value: number) => String(Number(value.toPrecision(4)));
  const [first, last] = [y[0]!, y.at(-1)!];
  const extent = `lowest ${number(extreme(y, Math.min))}, highest ${number(extreme(y, Math.max))}`;
  return y.length === 1 ? number(first) : `${number(first)} → ${number(last)} (${extent})`;
}

/** Also for many values. */
function extreme(values: readonly number[], of: (a: number, b: number) => number): number {
  return values.reduce((most, value) => of(most, value));
}
