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
      { name: 'update loss', over: 'updates', x: [0, 1], y: [0.5, 0.25], steps: null, seconds: null },
      { name: 'update value_loss', over: 'updates', x: [1], y: [3], steps: null, seconds: null },
      { name: 'round success', over: 'lines', x: [1, 2], y: [0.25, 0.75], steps: null, seconds: null },
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

  it('can be over working time, where each run has times of its own', () => {
    const at = (losses: readonly number[], seconds: readonly number[]) =>
      seriesOf(
        losses.map((loss, index) => update(index, { loss })),
        seconds,
      )[0]!;
    const other = { kind: 'round', round: 0, success: 1 };
    const [first, second] = seriesOf([update(0, { loss: 1 }), other, update(1, { loss: 3 })], [10, 20, 30]);
    expect([first!.seconds, second!.seconds]).toEqual([[10, 30], [20]]);
    expect(bandOf([first!], 'time')).toMatchObject({ x: [10, 30], mean: [1, 3] });
    // from 0 to 398 in 200 places; the second begins at 100 and ends at 200
    const { x, mean, runs } = bandOf([at([0, 398], [0, 398]), at([300, 500], [100, 200])], 'time');
    expect([x.length, x[0], x.at(-1)]).toEqual([200, 0, 398]);
    expect(runs.filter((each) => each === 2)).toHaveLength(51);
    // at 150 the first has 150, the second 400
    expect([mean[49], mean[75], mean[101]]).toEqual([98, 275, 202]);
  });
});
