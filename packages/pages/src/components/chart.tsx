/** A chart that grows with its data and keeps the page's width. */
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';

export interface ChartLine {
  readonly name: string;
  /** of a run: see `colourOf` */
  readonly colour: number;
  readonly values: readonly (number | null)[];
}

export interface ChartProps {
  readonly title: string;
  readonly x: readonly number[];
  readonly lines: readonly ChartLine[];
}

const height = 200;

export function Chart({ title, x, lines }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current!;
    const style = getComputedStyle(document.documentElement);
    const axis = {
      stroke: style.getPropertyValue('--soft'),
      grid: { stroke: style.getPropertyValue('--line') },
    };
    const series = lines.map(({ name, colour }) => ({
      label: name,
      stroke: style.getPropertyValue(`--run-${colour}`),
    }));
    const options = {
      width: element.clientWidth,
      height,
      scales: { x: { time: false } },
      axes: [axis, axis],
      series: [{}, ...series],
    };
    const columns = [x, ...lines.map(({ values }) => values)] as unknown as uPlot.AlignedData;
    const plot = new uPlot(options, columns, element);
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      plot.destroy();
    };
  }, [x, lines]);
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <div ref={place} role="img" aria-label={`curve of ${title}`} />
    </figure>
  );
}
