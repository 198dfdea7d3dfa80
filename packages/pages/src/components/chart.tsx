/** A chart that grows with its data and keeps the page's width. */
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { percent, short } from '../data/words.ts';
import { repeatsOf } from './colour.ts';
import { Swatch } from './marks.tsx';
import { useDark } from './scheme.ts';

type Values = readonly (number | null)[];

export interface ChartLine {
  readonly name: string;
  /** of a run: see `colourOf` */
  readonly colour: number;
  readonly values: Values;
  /** lowest and highest of several runs */
  readonly band?: { readonly low: Values; readonly high: Values };
  /** drawn thin behind the line, such as values before smoothing */
  readonly behind?: Values;
}

export interface ChartProps {
  readonly title: string;
  /** one line under the title; default: first and last value of the first line */
  readonly caption?: string;
  readonly x: readonly number[];
  readonly lines: readonly ChartLine[];
  /** the vertical axis by powers of ten, if all values are above 0 */
  readonly isLog?: boolean;
  /** what x counts, e.g. `update`: the axis says it */
  readonly over?: string;
  /** values are shares, said in per cent */
  readonly isShare?: boolean;
  /** names of the lines under the title, unless they stand elsewhere; default if there are several */
  readonly isNamed?: boolean;
}

const height = 190;

export function Chart(props: ChartProps) {
  const { title, caption, x, lines, isLog = false, over = '', isNamed = true, isShare = false } = props;

  const place = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number | null>(null);
  const isDark = useDark();
  useEffect(() => {
    const element = place.current!;
    const plot = new uPlot(
      { ...optionsOf({ lines, isLog, over, isShare }, setAt), width: Math.max(160, element.clientWidth) },
      columnsOf(x, lines),
      element,
    );
    const resized = new ResizeObserver(() =>
      plot.setSize({ width: Math.max(160, element.clientWidth), height }),
    );
    resized.observe(element);
    return () => {
      resized.disconnect();
      plot.destroy();
    };
  }, [x, lines, isLog, over, isShare, isDark]);
  const said = caption ?? captionOf(lines, wordsOf(isShare));
  return (
    <figure>
      <figcaption>
        <strong>{title}</strong> <span class="soft">{said}</span>
        {isNamed && lines.length > 1 && <Names lines={lines} />}
      </figcaption>
      <div class="plot" ref={place} role="img" aria-label={`curve of ${title}: ${said}`} />
      {at !== null && x[at] !== undefined && (
        <Hovered at={at} x={x} lines={lines} over={over} isShare={isShare} />
      )}
    </figure>
  );
}

function Names({ lines }: Pick<ChartProps, 'lines'>) {
  const repeats = repeatsOf(lines.map(({ colour }) => colour));
  return (
    <span class="names">
      {lines.map(({ name, colour }, place) => (
        <span>
          <Swatch colour={colour} repeat={repeats[place]!} /> {name}
        </span>
      ))}
    </span>
  );
}

/** The values at the pointer, highest first. */
function Hovered({
  at,
  x,
  lines,
  over,
  isShare,
}: Pick<ChartProps, 'x' | 'lines' | 'over' | 'isShare'> & { readonly at: number }) {
  const words = wordsOf(isShare);
  const repeats = repeatsOf(lines.map(({ colour }) => colour));
  const found = lines
    .flatMap(({ name, colour, values }, place) => {
      const value = values[at];
      return value == null ? [] : [{ name, colour, value, repeat: repeats[place]! }];
    })
    .sort((a, b) => b.value - a.value);
  return (
    <div class="hovered" aria-hidden="true">
      <p class="soft">{isTime(over) ? `${short(x[at]!)} ${over}` : `${over} ${x[at]}`}</p>
      {found.slice(0, 12).map(({ name, colour, value, repeat }) => (
        <p>
          <Swatch colour={colour} repeat={repeat} />
          <b>{words(value)}</b> {lines.length > 1 && name}
        </p>
      ))}
    </div>
  );
}

const wordsOf = (isShare: boolean | undefined) => (isShare ? percent : short);

/** `0.342 → 0.034 (0.033 to 0.342)` */
function captionOf(lines: readonly ChartLine[], words: (value: number) => string): string {
  const [only] = lines.length === 1 ? lines : [];
  const values = (only?.behind ?? only?.values ?? []).filter((value) => value !== null);
  if (values.length === 0) return '';
  if (values.length === 1) return words(values[0]!);
  const extreme = (of: (a: number, b: number) => number) => words(values.reduce((a, b) => of(a, b)));
  return `${words(values[0]!)} → ${words(values.at(-1)!)} (${extreme(Math.min)} to ${extreme(Math.max)})`;
}

function columnsOf(x: readonly number[], lines: readonly ChartLine[]): uPlot.AlignedData {
  const columns = lines.flatMap(({ values, band, behind }) => [
    ...(band ? [band.high, band.low] : []),
    ...(behind ? [behind] : []),
    values,
  ]);
  return [x, ...columns] as unknown as uPlot.AlignedData;
}

function optionsOf(
  { lines, isLog, over, isShare }: Required<Pick<ChartProps, 'lines' | 'isLog' | 'over' | 'isShare'>>,
  hover: (at: number | null) => void,
): Omit<uPlot.Options, 'width'> {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const quiet = { points: { show: false }, spanGaps: true, stroke: 'transparent', width: 0 };
  const series: uPlot.Series[] = [{}];
  const bands: uPlot.Band[] = [];
  const dashed = dashesOf(lines);
  for (const [place, { name, colour: number, values, band, behind }] of lines.entries()) {
    const stroke = colour(`--run-${number}`);
    if (band) {
      bands.push({ series: [series.length, series.length + 1], fill: `${stroke}2e` });
      series.push({ ...quiet, label: `${name}, highest` }, { ...quiet, label: `${name}, lowest` });
    }
    if (behind) series.push({ ...quiet, label: `${name}, unsmoothed`, stroke: `${stroke}40`, width: 1 });
    const points = values.filter((value) => value !== null).length;
    series.push({
      label: name,
      stroke,
      width: 2,
      spanGaps: true,
      points: { show: points < 3 },
      ...dashed[place],
    });
  }
  const axis = {
    stroke: colour('--soft'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  };
  // updates and lines of a kind are whole numbers, times are not
  const whole = (_plot: uPlot, splits: number[]) =>
    splits.map((split) => (Number.isInteger(split) || isTime(over) ? shortly(split) : ''));
  const size = { size: 48, font: '11px system-ui' };
  const canLog = isLog && lines.every(({ values }) => values.every((value) => value === null || value > 0));
  return {
    height,
    series,
    bands,
    legend: { show: false },
    padding: [8, 14, 0, 0],
    axes: [
      { ...axis, values: whole, font: size.font, size: 28, ...labelOf(over, size.font) },
      { ...axis, ...size, ...(isShare && { values: (_plot, splits) => splits.map(percent) }) },
    ],
    scales: { x: { time: false }, y: { distr: canLog ? 3 : 1 } },
    cursor: { y: false, drag: { x: true, y: false }, points: { size: 6 } },
    hooks: { setCursor: [({ cursor }) => hover(cursor.idx ?? null)] },
  };
}

function labelOf(over: string, labelFont: string): Pick<uPlot.Axis, 'label' | 'labelFont' | 'labelSize'> {
  return over === '' ? {} : { label: over, labelFont, labelSize: 16 };
}

const isTime = (over = '') => over.endsWith(' of work');
const shortly = (value: number) => (Math.abs(value) >= 10_000 ? `${value / 1000}k` : short(value));

const patterns = [undefined, [6, 4], [2, 3], [10, 3, 2, 3]];

/** Lines of equal colour differ in their dashes. */
function dashesOf(lines: readonly ChartLine[]): { dash?: number[] }[] {
  return repeatsOf(lines.map(({ colour }) => colour)).map((repeat) => {
    const dash = patterns[repeat % patterns.length];
    return dash ? { dash } : {};
  });
}
