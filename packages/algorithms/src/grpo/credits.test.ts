/** What steps are credited with: the advantage of the attempt, and that of the step. */
import { groupAdvantages } from '@emac/rollout';
import { describe, expect, it } from 'vitest';
import type { PlayedAttempt } from './attempts.ts';
import { creditsOf } from './credits.ts';
import { publishedCredit, type GrpoLossSettings } from './grpo-settings.ts';

/** Anchors before each step, and the reward after it. */
const attempt = (anchors: string, rewards: readonly number[]) =>
  ({
    steps: [...anchors].map((anchor, step) => ({
      prompt: [],
      answer: { text: '', tokens: [1], logProbabilities: [0] },
      temperature: 1,
      anchor,
      reward: rewards[step]!,
    })),
    reward: rewards.reduce((sum, reward) => sum + reward, 0),
    rewards: {},
  }) as unknown as PlayedAttempt;

/**
 * The group of `step-advantages.test.ts`, γ = 0.95, nothing divided. Rewards 10, 0, 9.9, mean 6.633333. State a is passed by 3
 * steps, b by 1 + 2 + 1, c by 3, d by 1. Returns from a are 9.025, 0, 8.47875, mean 5.834583.
 */
const group = [attempt('abc', [0, 0, 10]), attempt('acbb', [0, 0, 0, 0]), attempt('abdc', [0, -0.1, 0, 10])];

function credited(advantages: NonNullable<GrpoLossSettings['advantages']>, weight = 1) {
  const losses: GrpoLossSettings = {
    advantages,
    credit: { ...publishedCredit, weight, history: 0 },
    scale: 'none',
    beta: 0,
    clip: null,
    normalization: 'dapo',
    maxLength: 2,
  };
  const { advantages: ofAttempts } = groupAdvantages([10, 0, 9.9], { groupSize: 3, scale: 'none' });
  const groups = { update: 0, version: 0, attempts: group, groupSize: 3 };
  return creditsOf(groups, { losses, advantages: ofAttempts });
}

const ofAttempts = [3.366667, -6.633333, 3.266667];

describe('credits', () => {
  it('of attempts alone give each step the advantage of its attempt', () => {
    const found = credited('group');
    expect(found.map(({ steps }) => steps.length)).toEqual([3, 4, 4]);
    found.forEach(({ advantage, steps }, which) => {
      expect(advantage).toBeCloseTo(ofAttempts[which]!, 6);
      for (const step of steps) expect(step).toEqual({ advantage, own: null, alike: null });
    });
  });

  it('of steps add the weighted advantage of the step, and count the steps from its state', () => {
    const found = credited('steps', 2);
    expect(found.map(({ steps }) => steps.map(({ alike }) => alike))).toEqual([
      [3, 4, 3],
      [3, 3, 4, 4],
      [3, 4, 1, 3],
    ]);
    found.forEach(({ advantage }, which) => expect(advantage).toBeCloseTo(ofAttempts[which]!, 6));
    // 9.025 − 5.834583 = 3.190417, and 3.366667 + 2 · 3.190417; d is compared with nothing
    const [first, alone] = [found[0]!.steps[0]!, found[2]!.steps[2]!];
    expect(first.own).toBeCloseTo(3.190417, 6);
    expect(first.advantage).toBeCloseTo(9.747501, 5);
    expect(alone.own).toBe(0);
    expect(alone.advantage).toBeCloseTo(3.266667, 6);
  });

  it('of histories leave the advantage of the attempt out of the loss', () => {
    const [first] = credited('history');
    expect(first!.advantage).toBeCloseTo(3.366667, 6);
    for (const { advantage, own } of first!.steps) expect(advantage).toBe(own);
    expect(first!.steps[0]!.own).toBeCloseTo(3.190417, 4);
  });
});
