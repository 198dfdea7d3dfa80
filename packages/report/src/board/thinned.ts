/** Long series for charts: as many points as a screen can show, with every extreme. */
import type { Series } from '@emac/pages/data';

/** more than a chart has pixels across */
const most = 2000;

/** The first and the last point, and of each of equally many lines between the lowest and the highest one. */
export function thinned(series: readonly Series[]): Series[] {
  return series.map((each) => {
    if (each.y.length <= most) return each;
    const places = chosen(each.y);
    const at = (values: readonly number[]) => places.map((place) => values[place]!);
    const { steps, seconds } = each;
    return {
      ...each,
      x: at(each.x),
      y: at(each.y),
      steps: steps && at(steps),
      seconds: seconds && at(seconds),
    };
  });
}

function chosen(values: readonly number[]): number[] {
  const parts = most / 2 - 1;
  const inner = values.length - 2;
  const between = Array.from({ length: parts }, (_, part) => {
    const from = 1 + Math.floor((part * inner) / parts);
    const to = 1 + Math.floor(((part + 1) * inner) / parts);
    return extremesOf(values, from, to);
  });
  return [0, ...between.flat(), values.length - 1];
}

/** In their order; one place if all values are equal. */
function extremesOf(values: readonly number[], from: number, to: number): number[] {
  let low = from;
  let high = from;
  for (let at = from + 1; at < to; at++) {
    if (values[at]! < values[low]!) low = at;
    if (values[at]! > values[high]!) high = at;
  }
  return [...new Set([Math.min(low, high), Math.max(low, high)])];
}
