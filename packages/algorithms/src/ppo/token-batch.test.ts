/** Rows of answers with several tokens: advantages, returns and weights worked out by hand. */
import type { CollectedSteps } from '@emac/rollout';
import { describe, expect, it } from 'vitest';
import { batchOf, rowsOf } from './batch.ts';
import { ppoPreset } from './presets.ts';
import type { PpoSettings } from './ppo-settings.ts';

const { settings: standard } = ppoPreset('tiny');
const settingsOf = (advantages: Partial<PpoSettings['advantages']>): PpoSettings => ({
  ...standard,
  advantages: { ...standard.advantages, normalize: null, tokenTrace: 0.5, tokenDiscount: 0.9, ...advantages },
  losses: { ...standard.losses, valueCoefficient: 3 },
});

/** Three steps that each end an episode, with answers of 1, 2 and 3 tokens; the second named no action. */
const steps = {
  environments: 1,
  rewards: Float64Array.of(1, 0, 2),
  // when acting; those before the update are others
  values: Float32Array.of(0.25, 0.5, 0.75),
  terminated: Uint8Array.of(1, 1, 1),
  truncated: Uint8Array.of(0, 0, 0),
  finalValues: new Float32Array(3),
  nextValues: new Float32Array(1),
  prompts: [[], [], []],
  answers: [[7], [7, 8], [7, 8, 9]].map((tokens) => {
    return { tokens, logProbabilities: tokens.map(() => -1), text: '' };
  }),
  readings: [0, null, 0].map((action) => ({ action, actionStart: 0 })),
} as unknown as CollectedSteps<unknown>;
const tokenValues = [[0.5], [0.1, 0.3], [1, 0, -1]].map((values) => Float32Array.from(values));
const beside = { rewards: null, mix: null, bonuses: null, temperature: 1, tokenValues };

// 1 − 0.5; 0.9 · 0.3 − 0.1 + 0.45 · −0.3, 0 − 0.3; 0.9 · 0 − 1 + 0.45 · 0.45, 0.9 · −1 − 0 + 0.45 · 3, 2 + 1
const advantages = [[0.5], [0.035, -0.3], [-0.7975, 0.45, 3]];
const returns = [[1], [0.135, 0], [0.2025, 0.45, 2]];
const all = [0, 1, 2];

const expectClose = (found: unknown, expected: readonly number[]) => {
  expect(found).toHaveLength(expected.length);
  expected.forEach((each, token) => expect((found as number[])[token]).toBeCloseTo(each, 6));
};

describe('rows with an advantage for each token', () => {
  it('have the step’s return at the last token, and weights of a mean over tokens', () => {
    const settings = settingsOf({});
    const rows = rowsOf(batchOf(steps, settings, beside), all, settings);
    rows.forEach(({ constants, weight, valueWeight }, place) => {
      expectClose(constants!['advantage'], advantages[place]!);
      expectClose(constants!['return'], returns[place]!);
      expect(constants!['sampledValue']).toEqual(tokenValues[place]);
      // 4 tokens of the policy's own answers, 6 in all
      expect(weight).toBe(place === 1 ? 0 : 1 / 4);
      expect(valueWeight).toBe(3 / 6);
    });
  });

  it.each(['update', 'minibatch'] as const)('are normalized over the tokens of the %s', (normalize) => {
    const settings = settingsOf({ normalize, normalizeEpsilon: 0 });
    const rows = rowsOf(batchOf(steps, settings, beside), all, settings);
    const own = [0.5, -0.7975, 0.45, 3];
    const mean = 3.1525 / 4;
    const deviation = Math.sqrt(own.reduce((sum, each) => sum + (each - mean) ** 2, 0) / 3);
    const scaled = own.map((each) => (each - mean) / deviation);
    expectClose(rows[0]!.constants!['advantage'], scaled.slice(0, 1));
    expectClose(rows[2]!.constants!['advantage'], scaled.slice(1));
    // a random action teaches nothing
    expectClose(rows[1]!.constants!['advantage'], advantages[1]!);
    expectClose(rows[2]!.constants!['return'], returns[2]!);
  });

  it('have limits and bonuses at each token', () => {
    const settings = settingsOf({ limit: 0.5 });
    const batch = batchOf(steps, settings, { ...beside, bonuses: Float64Array.of(0, 0, 0.25) });
    const [, , last] = rowsOf(batch, all, settings);
    expectClose(last!.constants!['advantage'], [-0.25, 0.7, 0.75]);
  });

  it.each(['minibatch', 'update', null] as const)(
    'teach nothing after a masked step limit: %s',
    (normalize) => {
      const settings = settingsOf({ truncation: 'masked', normalize });
      const cut = { ...steps, terminated: Uint8Array.of(1, 1, 0), truncated: Uint8Array.of(0, 0, 1) };
      const rows = rowsOf(batchOf(cut, settings, beside), all, settings);
      expect(rows[2]!.constants).toMatchObject({ advantage: [0, 0, 0], return: [1, 0, -1] });
    },
  );
});
