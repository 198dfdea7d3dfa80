import { describe, expect, it } from 'vitest';
import type { GameAttempt } from '../data/played.ts';
import { creditsOf, rewardOf } from './group.tsx';

const attempt = (anchors: string, reward: number): GameAttempt => ({
  by: 'policy',
  won: reward > 0,
  steps: [...anchors].map((anchor, step) => ({
    command: 'go',
    anchor,
    reward: step === anchors.length - 1 ? reward : 0,
  })),
});

describe('a group of attempts', () => {
  const group = [attempt('ab', 1), attempt('ac', 0)];

  it('moves with a changed reward', () => {
    // of 1 and 0 the mean is 1/2 and the unbiased deviation √(1/2)
    const size = 0.5 / (Math.SQRT1_2 + 1e-4);
    const played = creditsOf(group, group.map(rewardOf), 0.5);
    expect(played.attempts[0]).toBeCloseTo(size, 12);
    expect(played.attempts[1]).toBeCloseTo(-size, 12);
    // returns at the shared state a: 1/2 and 0, mean 1/4; b and c are passed once
    expect(played.steps[0]![0]).toBeCloseTo(0.25, 12);
    expect(played.steps[1]![0]).toBeCloseTo(-0.25, 12);
    const changed = creditsOf(group, [1, 3], 0.5);
    expect(changed.attempts[0]).toBeLessThan(0);
    // 1/2 and 3/2
    expect(changed.steps[0]![0]).toBeCloseTo(-0.5, 12);
  });

  it('has no advantages among equal rewards, or alone', () => {
    expect(creditsOf(group, [2, 2], 0.5).attempts).toEqual([0, 0]);
    expect(creditsOf(group.slice(0, 1), [1], 0.5)).toEqual({ attempts: [0], steps: [[0, 0]] });
  });
});
