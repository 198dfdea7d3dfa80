import { describe, expect, it } from 'vitest';
import { aligned, chartsOf, smoothed, type Labelled } from './charts.ts';
import { seriesOf } from './series.ts';

/** A run of an update for each of these. */
const run = (label: string, ...updates: readonly object[]): Labelled => ({
  label,
  colour: 3,
  series: seriesOf(updates.map((fields, update) => ({ kind: 'update', update, ...fields }))),
});

const rewards = [
  { reward: 1.5, reward_accuracy: 0.5, reward_format: 1, reward_std: 0.25 },
  { reward: 1.75, reward_accuracy: 0.75, reward_format: 1, reward_std: 0.5 },
];

describe('charts of a run', () => {
  it('show a sum and its parts in one figure, also with those that stay the same', () => {
    const charts = chartsOf([run('a', ...rewards)]);
    expect(charts.map(({ title }) => title)).toEqual([
      'update reward and what it is the sum of',
      'update reward_std',
    ]);
    expect(charts[0]).toEqual({
      title: 'update reward and what it is the sum of',
      group: 'success and return',
      over: 'updates',
      lines: [
        { name: 'reward', colour: 0, x: [0, 1], y: [1.5, 1.75] },
        { name: 'reward_accuracy', colour: 1, x: [0, 1], y: [0.5, 0.75] },
        { name: 'reward_format', colour: 2, x: [0, 1], y: [1, 1] },
      ],
    });
  });

  it('do not stack numbers of similar names that do not add up, or are sometimes missing', () => {
    const titles = (...updates: readonly object[]) =>
      chartsOf([run('a', ...updates)]).map(({ title }) => title);
    const other = { ...rewards[1]!, reward: 1.8 };
    expect(titles(rewards[0]!, other)[0]).toBe('update reward');
    const { reward_format: _, ...without } = rewards[1]!;
    expect(titles(rewards[0]!, { ...without, reward: 0.75 })[0]).toBe('update reward');
  });

  it('are one per number when runs are compared', () => {
    const charts = chartsOf([run('a', ...rewards), run('b', ...rewards)]);
    expect(charts.map(({ title }) => title)).toEqual([
      'update reward',
      'update reward_accuracy',
      'update reward_std',
    ]);
    expect(charts[0]!.lines.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('show success and return first, losses next, the rest last, over updates or steps', () => {
    const lines = [
      { lr: 1, loss: 2, success: 0, environment_steps: 30 },
      { lr: 0, loss: 1, success: 1, environment_steps: 90 },
    ];
    const charts = chartsOf([run('a', ...lines)], 'steps');
    expect(charts.map(({ title, group }) => [title, group])).toEqual([
      ['update success', 'success and return'],
      ['update loss', 'losses'],
      ['update lr', 'more'],
      ['update environment_steps', 'more'],
    ]);
    expect(charts[0]).toMatchObject({
      over: 'steps in the environment',
      lines: [{ x: [30, 90], y: [0, 1] }],
    });
  });

  it('are over working time in a unit that fits the longest', () => {
    const timed = (...seconds: readonly number[]) =>
      chartsOf(
        [
          {
            label: 'a',
            colour: 0,
            series: seriesOf(
              seconds.map((_, update) => ({ kind: 'update', update, loss: update })),
              seconds,
            ),
          },
        ],
        'time',
      )[0]!;
    expect(timed(60, 179)).toMatchObject({ over: 'seconds of work', lines: [{ x: [60, 179] }] });
    expect(timed(60, 180)).toMatchObject({ over: 'minutes of work', lines: [{ x: [1, 3] }] });
    expect(timed(3600, 7200)).toMatchObject({ over: 'hours of work', lines: [{ x: [1, 2] }] });
  });

  it('are a mean between the lowest and the highest where runs share a label', () => {
    const [chart] = chartsOf([run('a', { loss: 1 }, { loss: 3 }), run('a', { loss: 3 }, { loss: 9 })]);
    expect(chart!.lines).toEqual([
      { name: 'a', colour: 3, x: [0, 1], y: [2, 6], band: { low: [1, 3], high: [3, 9] } },
    ]);
  });
});

describe('lines of a chart', () => {
  it('are aligned on one list of x, with gaps where one has no value', () => {
    const line = { colour: 0, name: '' };
    const { x, lines } = aligned([
      { ...line, x: [0, 2], y: [1, 3] },
      { ...line, x: [1, 2], y: [5, 6] },
    ]);
    expect(x).toEqual([0, 1, 2]);
    expect(lines.map(({ values }) => values)).toEqual([
      [1, null, 3],
      [null, 5, 6],
    ]);
  });

  it('are smoothed by a mean whose weights halve into the past', () => {
    // after 8: 8; after 8, 2: (8 / 2 + 2) / (1 / 2 + 1) = 4
    expect(smoothed([8, null, 2], 0.5)).toEqual([8, null, 4]);
  });
});
