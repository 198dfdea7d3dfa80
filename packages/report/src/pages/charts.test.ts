import { describe, expect, it } from 'vitest';
import { chartsOf, type Labelled } from './charts.ts';
import { seriesOf } from './series.ts';

/** A run of an update for each of these. */
const run = (label: string, ...updates: readonly object[]): Labelled => ({
  label,
  run: { series: seriesOf(updates.map((fields, update) => ({ kind: 'update', update, ...fields }))) },
});

const rewards = [
  { reward: 1.5, reward_accuracy: 0.5, reward_format: 1, reward_std: 0.25 },
  { reward: 1.75, reward_accuracy: 0.75, reward_format: 1, reward_std: 0.5 },
];

describe('charts of a run', () => {
  it('begin with a sum and its parts in one figure, also with those that stay the same', () => {
    const charts = chartsOf([run('a', ...rewards)]);
    expect(charts.map(({ title }) => title)).toEqual([
      'update reward and what it is the sum of',
      'update reward',
      'update reward_accuracy',
      'update reward_std',
    ]);
    expect(charts[0]).toEqual({
      title: 'update reward and what it is the sum of',
      over: 'updates',
      lines: [
        { name: 'reward', x: [0, 1], y: [1.5, 1.75] },
        { name: 'reward_accuracy', x: [0, 1], y: [0.5, 0.75] },
        { name: 'reward_format', x: [0, 1], y: [1, 1] },
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
});
