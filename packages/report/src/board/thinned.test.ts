import { expect, it } from 'vitest';
import { thinned } from './thinned.ts';

const series = (y: readonly number[]) => [
  {
    name: 'update loss',
    over: 'updates' as const,
    x: [...y.keys()],
    y,
    steps: [...y.keys()].map((x) => 10 * x),
    seconds: [...y.keys()].map((x) => x / 2),
  },
];

it('keeps the ends of a long series and every peak of it', () => {
  const values = Array.from({ length: 100_000 }, (_, x) => x % 2);
  values[40_000] = 9;
  values[40_001] = -9;
  const [found] = thinned(series(values));
  const { x, y, steps, seconds } = found!;
  expect([x.length, y.length]).toEqual([2000, 2000]);
  expect([x.at(0), x.at(-1)]).toEqual([0, 99_999]);
  expect(y).toEqual(x.map((place) => values[place]));
  expect(steps).toEqual(x.map((place) => 10 * place));
  expect(seconds).toEqual(x.map((place) => place / 2));
  expect(x).toEqual(expect.arrayContaining([40_000, 40_001]));
  expect(x).toEqual([...new Set(x)].sort((a, b) => a - b));
});

it('leaves a short series as it is', () => {
  const short = series(Array.from({ length: 2000 }, () => 0));
  expect(thinned(short)).toEqual(short);
});
