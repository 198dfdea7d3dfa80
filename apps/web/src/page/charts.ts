/** Charts that grow with a run. */
import uPlot from 'uplot';

interface Curve {
  readonly title: string;
  /** of a metrics line; null: the line has no such value */
  readonly value: (line: Readonly<Record<string, unknown>>) => number | null;
}

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

const curves: readonly Curve[] = [
  {
    title: 'Success in training',
    value: ({ success, won, games }) => numberOf(success) ?? share(won, games),
  },
  { title: 'Mean return', value: ({ mean_return }) => numberOf(mean_return) },
  {
    title: 'Loss',
    value: ({ kind, loss, policy_loss }) =>
      kind === 'update' ? (numberOf(loss) ?? numberOf(policy_loss)) : null,
  },
];

function share(won: unknown, games: unknown): number | null {
  return typeof won === 'number' && typeof games === 'number' ? won / games : null;
}

interface Drawn {
  readonly chart: uPlot;
  readonly data: [number[], number[]];
  readonly watching: ResizeObserver;
}

export interface Charts {
  add(line: Readonly<Record<string, unknown>>): void;
  clear(): void;
}

/** Charts in `place`, by updates; one that has no value is not shown. */
export function createCharts(place: HTMLElement): Charts {
  let drawn = new Map<string, Drawn>();
  const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name);
  const begin = (title: string, order: number): Drawn => {
    const figure = document.createElement('figure');
    const caption = document.createElement('figcaption');
    caption.textContent = title;
    figure.append(caption);
    figure.style.order = String(order);
    place.append(figure);
    const data: [number[], number[]] = [[], []];
    const axis = { stroke: colour('--faint'), grid: { stroke: colour('--line'), width: 1 }, size: 60 };
    const series = { label: title, stroke: colour('--accent'), width: 2, points: { show: true, size: 4 } };
    const size = () => ({ width: figure.clientWidth, height: 200 });
    const options = {
      ...size(),
      legend: { show: false },
      scales: { x: { time: false } },
      axes: [axis, axis],
      series: [{ label: 'update' }, series],
    };
    const chart = new uPlot(options, data, figure);
    const watching = new ResizeObserver(() => chart.setSize(size()));
    watching.observe(figure);
    return { chart, data, watching };
  };
  return {
    add(line) {
      for (const [order, { title, value }] of curves.entries()) {
        const found = value(line);
        if (found === null) continue;
        const each = drawn.get(title) ?? begin(title, order);
        drawn.set(title, each);
        each.data[0].push(numberOf(line['update']) ?? each.data[0].length);
        each.data[1].push(found);
        each.chart.setData(each.data);
      }
    },
    clear() {
      for (const { chart, watching } of drawn.values()) {
        watching.disconnect();
        chart.destroy();
      }
      drawn = new Map();
      place.replaceChildren();
    },
  };
}
