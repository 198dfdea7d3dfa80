/** The charts of one run or of several, with a legend and what can be changed about them. */
import { useMemo } from 'preact/hooks';
import type { Axis } from '../data/bands.ts';
import {
  aligned,
  chartsOf,
  smoothed,
  unchanging,
  type ChartData,
  type ChartGroup,
  type Labelled,
} from '../data/charts.ts';
import { groupBy } from '../data/group-by.ts';
import { useAsked, type Asked } from './address.ts';
import { Chart } from './chart.tsx';
import { repeatsOf } from './colour.ts';
import { Swatch } from './marks.tsx';

export interface ChartsProps {
  readonly runs: readonly Labelled[];
  readonly title?: string;
}

const axisWords: Readonly<Record<Axis, string>> = {
  updates: 'updates',
  steps: 'environment steps',
  time: 'working time',
};
const axes = Object.keys(axisWords) as readonly Axis[];

export function Charts({ runs, title = 'Curves' }: ChartsProps) {
  const [asked, change] = useAsked();
  const axis = axes.find((each) => each === asked['x']?.[0]) ?? 'updates';
  const smoothing = Math.min(0.99, Math.max(0, Number(asked['smooth']?.[0] ?? 0) || 0));
  const isLog = asked['log']?.[0] === '1';
  const charts = useMemo(() => chartsOf(runs, axis), [runs, axis]);
  const still = useMemo(() => unchanging(runs, charts), [runs, charts]);
  if (charts.length + still.length === 0) return null;
  const all = runs.flatMap(({ series }) => series);
  const offered = axes.filter(
    (each) => each === 'updates' || all.some(({ steps, seconds }) => (each === 'steps' ? steps : seconds)),
  );
  const shown = (group: ChartGroup) => charts.filter((chart) => chart.group === group);
  const drawn = (group: ChartGroup) => (
    <div class="charts">
      {shown(group).map((chart) => (
        <OneChart
          key={chart.title}
          chart={chart}
          smoothing={smoothing}
          isLog={isLog}
          isNamed={runs.length === 1}
        />
      ))}
    </div>
  );
  return (
    <section>
      <div class="titled">
        <h2>{title}</h2>
        <Controls offered={offered} axis={axis} smoothing={smoothing} isLog={isLog} change={change} />
      </div>
      <Legend runs={runs} />
      {drawn('success and return')}
      {drawn('losses')}
      {shown('more').length + still.length > 0 && (
        <details id="more" open={shown('more').length === charts.length}>
          <summary>{`More curves (${shown('more').length})`}</summary>
          {drawn('more')}
          {still.length > 0 && <p class="soft">Unchanged: {still.join(', ')}.</p>}
        </details>
      )}
    </section>
  );
}

interface ControlsProps {
  readonly offered: readonly Axis[];
  readonly axis: Axis;
  readonly smoothing: number;
  readonly isLog: boolean;
  readonly change: (change: Asked) => void;
}

function Controls({ offered, axis, smoothing, isLog, change }: ControlsProps) {
  return (
    <div class="controls">
      {offered.length > 1 && (
        <label>
          over
          <select name="x" value={axis} onChange={(event) => change({ x: [event.currentTarget.value] })}>
            {offered.map((each) => (
              <option value={each}>{axisWords[each]}</option>
            ))}
          </select>
        </label>
      )}
      <label>
        smoothing
        <input
          type="range"
          name="smooth"
          min="0"
          max="0.99"
          step="0.01"
          value={smoothing}
          onInput={(event) => change({ smooth: [event.currentTarget.value] })}
        />
      </label>
      <label class="check">
        <input
          type="checkbox"
          name="log"
          checked={isLog}
          onChange={(event) => change({ log: event.currentTarget.checked ? ['1'] : [] })}
        />
        log axis
      </label>
    </div>
  );
}

/** Of several runs: each once. */
function Legend({ runs }: { readonly runs: readonly Labelled[] }) {
  // seeds of one setting are drawn in the colour of the first
  const labels = new Map(
    [...groupBy(runs, ({ label }) => label)].map(([label, [first]]) => [label, first!.colour]),
  );
  if (labels.size < 2) return null;
  const repeats = repeatsOf([...labels.values()]);
  return (
    <ul class="legend" aria-label="runs in the charts">
      {[...labels].map(([label, colour], place) => (
        <li key={label}>
          <Swatch colour={colour} repeat={repeats[place]!} />
          {label}
        </li>
      ))}
    </ul>
  );
}

interface OneChartProps {
  readonly chart: ChartData;
  readonly smoothing: number;
  readonly isLog: boolean;
  readonly isNamed: boolean;
}

function OneChart({ chart, smoothing, isLog, isNamed }: OneChartProps) {
  const { x, lines } = useMemo(() => {
    const { x, lines } = aligned(chart.lines);
    if (smoothing === 0) return { x, lines };
    return {
      x,
      lines: lines.map((line) => ({
        ...line,
        values: smoothed(line.values, smoothing),
        behind: line.values,
      })),
    };
  }, [chart, smoothing]);
  // a line without a number of updates counts lines of its kind, such as rounds
  const [kind] = chart.title.split(' ', 1) as [string];
  const named = { updates: 'update', lines: kind, 'steps in the environment': 'environment step' };
  const over = (named as Partial<Record<ChartData['over'], string>>)[chart.over] ?? chart.over;
  const isShare = / success$/.test(chart.title);
  const shown = { x, lines, isLog, over, isNamed, isShare };
  return <Chart title={chart.title} {...shown} />;
}
