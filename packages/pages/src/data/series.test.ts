import { describe, expect, it } from 'vitest';
import { bandOf } from './bands.ts';
import { seriesOf } from './series.ts';

const update = (number: number, fields: object) => ({
  kind: 'update',
  v: 1,
  round: 0,
  update: number,
  ...fields,
});

describe('series of metrics', () => {
  it('are all numbers of all kinds of lines, for any method', () => {
    const lines = [
      update(0, { loss: 0.5, game: 'pick_heat-Egg/trial_1', phase: 'ppo' }),
      { kind: 'round', round: 0, success: 0.25, note: 'words' },
      update(1, { loss: 0.25, value_loss: 3 }),
      { kind: 'round', round: 1, success: 0.75 },
    ];
    expect(seriesOf(lines)).toEqual([
      { name: 'update loss', over: 'updates', x: [0, 1], y: [0.5, 0.25], steps: null },
      { name: 'update value_loss', over: 'updates', x: [1], y: [3], steps: null },
      { name: 'round success', over: 'lines', x: [1, 2], y: [0.25, 0.75], steps: null },
    ]);
  });
});

describe('several runs together', () => {
  it('are a mean between the lowest and the highest value at each x', () => {
    const of = (...values: number[]) => seriesOf(values.map((loss, index) => update(index, { loss })))[0]!;
    expect(bandOf([of(1, 2, 3), of(3, 6)])).toEqual({
      x: [0, 1, 2],
      mean: [2, 4, 3],
      low: [1, 2, 3],
      high: [3, 6, 3],
      runs: [2, 2, 1],
    });
  });

  it('average several values of a run at one x', () => {
    const twice = seriesOf([update(4, { loss: 1 }), update(4, { loss: 2 })])[0]!;
    expect(bandOf([twice])).toMatchObject({ x: [4], mean: [1.5], runs: [1] });
  });

  it('can be over the steps in the environment', () => {
    const [series] = seriesOf([
      update(0, { loss: 1, environment_steps: 30 }),
      update(1, { loss: 3, environment_steps: 90 }),
    ]);
    expect(bandOf([series!], 'steps')).toMatchObject({ x: [30, 90], mean: [1, 3] });
  });
});
