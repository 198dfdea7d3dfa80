/** Long series for charts: as many points as a screen can show, with every extreme. */
import type { Series, SeriesPoint } from '../pages/series.ts';

/** more than a chart has pixels across */
const most = 2000;

/** The first and the last point, and of each of equally many lines between the lowest and the highest one. */
export function thinned(series: readonly Series[]): Series[] {
  return series.map((each) => (each.points.length > most ? { ...each, points: chosen(each.points) } : each));
}

function chosen(points: readonly SeriesPoint[]): SeriesPoint[] {
  const parts = most / 2 - 1;
  const inner = points.length - 2;
  const between = Array.from({ length: parts }, (_, part) => {
    const from = 1 + Math.floor((part * inner) / parts);
    const to = 1 + Math.floor(((part + 1) * inner) / parts);
    return extremesOf(points, from, to);
  });
  return [points[0]!, ...between.flat(), points.at(-1)!];
}

/** In their order; one point if all are equal. */
function extremesOf(points: readonly SeriesPoint[], from: number, to: number): SeriesPoint[] {
  let low = from;
  let high = from;
  for (let at = from + 1; at < to; at++) {
    if (points[at]!.y < points[low]!.y) low = at;
    if (points[at]!.y > points[high]!.y) high = at;
  }
  return [...new Set([Math.min(low, high), Math.max(low, high)])].map((at) => points[at]!);
}
