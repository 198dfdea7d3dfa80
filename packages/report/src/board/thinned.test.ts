import { expect, it } from 'vitest';
import { thinned } from './thinned.ts';

const point = (x: number, y: number) => ({ x, y, round: null, type: null });
const series = (points: ReturnType<typeof point>[]) => [
  { name: 'update loss', over: 'updates' as const, points },
];

it('keeps the ends of a long series and every peak of it', () => {
  const points = Array.from({ length: 100_000 }, (_, x) => point(x, x % 2));
  points[40_000] = point(40_000, 9);
  points[40_001] = point(40_001, -9);
  const [found] = thinned(series(points));
  expect(found!.points).toHaveLength(2000);
  expect(found!.points.at(0)).toEqual(points[0]);
  expect(found!.points.at(-1)).toEqual(points.at(-1));
  expect(found!.points).toContainEqual(point(40_000, 9));
  expect(found!.points).toContainEqual(point(40_001, -9));
  const places = found!.points.map(({ x }) => x);
  expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
});

it('leaves a short series as it is', () => {
  const short = series(Array.from({ length: 2000 }, (_, x) => point(x, 0)));
  expect(thinned(short)).toEqual(short);
});
