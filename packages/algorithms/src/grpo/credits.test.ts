/** What steps are credited with: the advantage of the attempt, and that of the step. */
import { groupAdvantages } from '@emac/rollout';
import { describe, expect, it } from 'vitest';
import type { PlayedAttempt } from './attempts.ts';
import { creditsOf } from './credits.ts';
import { publishedCredit, type GrpoLossSettings } from './grpo-settings.ts';

/** Anchors before each step, and the reward after it; actions name the next state, and attempts that earn something are won. */
const attempt = (anchors: string, rewards: readonly number[]) =>
  ({
    steps: [...anchors].map((anchor, step) => ({
      prompt: [],
      answer: { text: '', tokens: [1], logProbabilities: [0] },
      temperature: 1,
      anchor,
      reward: rewards[step]!,
    })),
    trajectory: {
      steps: [...anchors].map((_, step) => ({ action: `to ${anchors[step + 1] ?? 'the end'}` })),
      end: 'terminated',
      won: rewards.some((reward) => reward > 0),
    },
    reward: rewards.reduce((sum, reward) => sum + reward, 0),
    rewards: {},
  }) as unknown as PlayedAttempt;

/**
 * The group of `step-advantages.test.ts`, γ = 0.95, nothing divided. Rewards 10, 0, 9.9, mean 6.633333. State a is passed by 3
 * steps, b by 1 + 2 + 1, c by 3, d by 1. Returns from a are 9.025, 0, 8.47875, mean 5.834583.
 */
const group = [attempt('abc', [0, 0, 10]), attempt('acbb', [0, 0, 0, 0]), attempt('abdc', [0, -0.1, 0, 10])];

function credited(
  advantages: NonNullable<GrpoLossSettings['advantages']>,
  credit: Partial<NonNullable<GrpoLossSettings['credit']>> = {},
  played = group,
) {
  const losses: GrpoLossSettings = {
    advantages,
    credit: { ...publishedCredit, history: 0, ...credit },
    scale: 'none',
    beta: 0,
    clip: null,
    normalization: 'dapo',
    maxLength: 2,
  };
  const { advantages: ofAttempts } = groupAdvantages([10, 0, 9.9], { groupSize: 3, scale: 'none' });
  const groups = { update: 0, version: 0, attempts: played, groupSize: 3 };
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
    const found = credited('steps', { weight: 2 });
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

  /**
   * Attempts 1 and 3 are won. Success is 1 step from c, 2 from a, b and d. Worth of the edges, 0.95^(d + 1):
   * from a to b 0.857375, to c 0.9025, mean 0.8799375 · from c to success 0.95, to b 0.857375, mean 0.9036875
   * from b to c 0.9025, to b and to d 0.857375, to a lost end 0, mean 0.6543125 · d has one edge.
   */
  const byGraph = [
    [-0.0225625, 0.2481875, 0.0463125],
    [0.0225625, -0.0463125, 0.2030625, -0.6543125],
    [-0.0225625, 0.2030625, 0, 0.0463125],
  ];
  const expectOwn = (found: ReturnType<typeof credited>, expected: readonly (readonly number[])[]) =>
    found.forEach(({ steps }, which) =>
      steps.forEach(({ own }, step) =>
        expect(own, `${which}, ${step}`).toBeCloseTo(expected[which]![step]!, 12),
      ),
    );

  it('of graphs add the weighted advantages of the attempt and of the step', () => {
    const found = credited('graph', { weight: 2, attemptWeight: 0.5 });
    expectOwn(found, byGraph);
    found.forEach(({ steps }, which) =>
      steps.forEach(({ advantage }, step) =>
        expect(advantage).toBeCloseTo(0.5 * ofAttempts[which]! + 2 * byGraph[which]![step]!, 6),
      ),
    );
  });

  it('of graphs take the state in which an attempt was cut off as one in which it would have gone on', () => {
    const [first, second, third] = group;
    const cutOff = (cutOffIn?: string) =>
      ({
        ...second!,
        trajectory: { ...second!.trajectory, end: 'truncated' },
        ...(cutOffIn !== undefined && { cutOffIn }),
      }) as PlayedAttempt;
    // its last step from b leads to c, as the edge of attempt 1 by another action: 0.9025 · 2 + 0.857375 · 2, mean 0.8799375
    const named = credited('graph', {}, [first!, cutOff('c'), third!]);
    expectOwn(named, [
      [-0.0225625, 0.0225625, 0.0463125],
      [0.0225625, -0.0463125, -0.0225625, 0.0225625],
      [-0.0225625, -0.0225625, 0, 0.0463125],
    ]);
    // without a name it is not compared: 0.9025 + 0.857375 · 2, mean 0.8724166667
    const unnamed = credited('graph', {}, [first!, cutOff(), third!]);
    expectOwn(unnamed, [
      [-0.0225625, 0.0300833333333, 0.0463125],
      [0.0225625, -0.0463125, -0.0150416666667, 0],
      [-0.0225625, -0.0150416666667, 0, 0.0463125],
    ]);
  });
});
