import { expect, it } from 'vitest';
import { instanceNames } from './instance-names.ts';

it('numbers each class downwards in id order and names basins by the word in the id', () => {
  const names = instanceNames([
    'Sink_bar__plus_01_dot_00_bar_SinkBasin',
    'Apple_bar__plus_02_dot_00',
    'Sink_bar__plus_01_dot_00',
    'Apple_bar__minus_01_dot_00',
    'Apple_bar__plus_01_dot_00',
  ]);
  // Sorted: apple|-1, apple|+1, apple|+2 ('m' before 'p'), so these are 3, 2 and 1.
  expect(Object.fromEntries(names)).toEqual({
    Apple_bar__minus_01_dot_00: 'apple 3',
    Apple_bar__plus_01_dot_00: 'apple 2',
    Apple_bar__plus_02_dot_00: 'apple 1',
    Sink_bar__plus_01_dot_00: 'sink 1',
    Sink_bar__plus_01_dot_00_bar_SinkBasin: 'sinkbasin 1',
  });
});
