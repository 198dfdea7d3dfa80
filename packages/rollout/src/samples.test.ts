import { fetchExpert } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { rollout } from './rollout.ts';
import { samplesOf } from './samples.ts';
import { answering, attemptsAt, setup } from './setups.test.support.ts';

async function played(id: string, answer: string) {
  const parts = setup({ expert: fetchExpert(), policy: answering(() => answer).policy });
  const [trajectory] = await rollout(parts, attemptsAt([id], { expertShare: 1 }));
  return trajectory!;
}

describe('samplesOf', () => {
  it('has a sample for every labelled state', async () => {
    const samples = samplesOf(await played('fetch/a', 'go b'), 'imitation');
    expect(samples.map(({ text, output, worse }) => [text, output, worse])).toEqual([
      ['want-a', 'go a', null],
      ['want-a at-a', 'take a', null],
    ]);
  });

  it('keeps the picture seen before each step, or a black one', async () => {
    const trajectory = await played('fetch/a', 'go b');
    const frame = { width: 1, height: 1, data: Uint8Array.of(7, 0, 0) };
    const [first, ...rest] = trajectory.steps;
    const seen = { ...first!, observation: { ...first!.observation, frames: [frame] } };
    const samples = samplesOf({ ...trajectory, steps: [seen, ...rest] }, 'imitation');
    expect(samples.map((sample) => sample.frame.data[0])).toEqual([7, 0]);
  });

  it('has preference pairs only where policy and expert differ', async () => {
    const pairs = samplesOf(await played('fetch/b', 'go b'), 'preference');
    expect(pairs.map(({ output, worse }) => [output, worse])).toEqual([['take b', 'go b']]);
  });

  it('skips states with an unusable label', async () => {
    const trajectory = await played('fetch/a', 'go b');
    const steps = trajectory.steps.map((step) => ({
      ...step,
      label: { kind: 'unusable', reason: 'lost' } as const,
    }));
    expect(samplesOf({ ...trajectory, steps }, 'imitation')).toEqual([]);
  });
});
