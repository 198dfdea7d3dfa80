import { describe, expect, it } from 'vitest';
import { differingSettings, labelsOf } from './differences.ts';

const run = (name: string, settings: Record<string, number | string>) => ({ name, title: null, settings });

describe('labels of runs', () => {
  it('are shared by seeds of equal settings, and say where runs repeat a seed', () => {
    const rounds = (seed: number, count: number) => run(`${count}-${seed}`, { seed, 'play.rounds': count });
    expect(labelsOf([rounds(0, 1)])).toEqual(['1-0']);
    expect(labelsOf([rounds(0, 2), rounds(1, 2)])).toEqual(['2 seeds of 2-0', '2 seeds of 2-0']);
    expect(labelsOf([run('a', { seed: 7, lr: 1 }), run('b', { seed: 7, lr: 1 })])[1]).toBe(
      '2 runs (one seed) of a',
    );
    expect(
      labelsOf([run('a', { seed: 7, lr: 1 }), run('b', { seed: 7, lr: 1 }), run('c', { seed: 8, lr: 1 })])[2],
    ).toBe('3 runs (2 seeds) of a');
  });

  it('are names where nothing is known of the settings, and begin with what a person called the run', () => {
    expect(labelsOf([run('a', {}), { ...run('b', {}), title: 'best' }])).toEqual(['a', 'best (b)']);
  });
});

it('settings that differ are those of which some run has another value or none', () => {
  const found = differingSettings([
    { 'play.rounds': 1, lr: 0.1, seed: 0, a: null, beta: 1 },
    { 'play.rounds': 2, lr: 0.1 },
  ]);
  expect(found).toEqual([
    { name: 'play.rounds', values: [1, 2] },
    { name: 'beta', values: [1, null] },
    { name: 'seed', values: [0, null] },
  ]);
});
