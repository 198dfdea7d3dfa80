import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupAdvantages } from './group-advantages.ts';
import { anchorAdvantages, discountedReturns, historyAdvantages } from './step-advantages.ts';

/** Anchors before each step, and the reward after it. */
const attempt = (anchors: string, rewards: readonly number[]) =>
  [...anchors].map((anchor, step) => ({ anchor, reward: rewards[step]! }));

/**
 * Three attempts at one task with γ = 0.95. Returns of the first: 0.95² · 10 = 9.025, 9.5, 10; of the third:
 * 0.95³ · 10 − 0.95 · 0.1 = 8.47875, 0.95² · 10 − 0.1 = 8.925, 9.5, 10.
 * a: 9.025, 0, 8.47875, mean 5.834583 · b: 9.5, 0, 0, 8.925, mean 4.60625 · c: 10, 0, 10, mean 6.666667 · d alone.
 */
const group = [attempt('abc', [0, 0, 10]), attempt('acbb', [0, 0, 0, 0]), attempt('abdc', [0, -0.1, 0, 10])];
const discount = 0.95;

const expectClose = (
  found: readonly (readonly number[])[],
  expected: readonly (readonly number[])[],
  digits = 5,
) => {
  expect(found.map(({ length }) => length)).toEqual(expected.map(({ length }) => length));
  found.forEach((own, which) =>
    own.forEach((value, step) =>
      expect(value, `${which}, ${step}`).toBeCloseTo(expected[which]![step]!, digits),
    ),
  );
};

describe('discounted returns', () => {
  it('sum the rewards from a step on, each discounted by its distance', () => {
    expectClose(
      group.map((each) => discountedReturns(each, discount)),
      [
        [9.025, 9.5, 10],
        [0, 0, 0, 0],
        [8.47875, 8.925, 9.5, 10],
      ],
      10,
    );
  });
});

describe('anchor advantages (GiGPO)', () => {
  it('compare returns from equal states, and are 0 for a state that one step passed', () => {
    expectClose(anchorAdvantages(group, { discount, scale: 'none' }), [
      [3.190417, 4.89375, 3.333333],
      [-5.834583, -6.666667, -4.60625, -4.60625],
      [2.644167, 4.31875, 0, 3.333333],
    ]);
  });

  it('are divided by the deviation with n − 1 on request', () => {
    // c: 10, 0, 10 has squares 11.1111 · 2 + 44.4444 = 66.6667 over 2: deviation 5.773503
    const found = anchorAdvantages(group, { discount, scale: 'group' });
    expect(found[0]![2]).toBeCloseTo(3.333333 / 5.773504, 5);
    expect(found[1]![1]).toBeCloseTo(-6.666667 / 5.773504, 5);
    expect(found[2]![2]).toBe(0);
  });

  it('add up with the episode part to the published sum', () => {
    // rewards 10, 0, 9.9: less their mean 3.366667, −6.633333, 3.266667
    const { advantages } = groupAdvantages([10, 0, 9.9], { groupSize: 3, scale: 'none' });
    const steps = anchorAdvantages(group, { discount, scale: 'none' });
    expectClose(
      steps.map((own, which) => own.map((value) => value + advantages[which]!)),
      [
        [6.557083, 8.260417, 6.7],
        [-12.467917, -13.3, -11.239583, -11.239583],
        [5.910833, 7.585417, 3.266667, 6.6],
      ],
    );
  });
});

describe('history advantages (HGPO)', () => {
  // attempts 1 and 3 share the context a, b: returns 9.5 and 8.925, mean 9.2125, so A_2 is ± 0.2875.
  // Second step of the first: (2 · 4.89375 + 3 · 0.2875) / (2 + 3) = 2.13
  it('average contexts of several lengths, longer ones with more weight', () => {
    expectClose(historyAdvantages(group, { discount, scale: 'none', history: 2, exponent: 1 }), [
      [3.19042, 2.13, 3.33333],
      [-5.83458, -6.66666, -4.60625, -4.60625],
      [2.64417, 1.555, 0, 3.33333],
    ]);
    expectClose(historyAdvantages(group, { discount, scale: 'none', history: 2, exponent: 2 }), [
      [3.19042, 1.70481, 3.33333],
      [-5.83458, -6.66667, -4.60625, -4.60625],
      [2.64417, 1.12981, 0, 3.33333],
    ]);
  });

  it('are divided by the deviation with n on request', () => {
    expectClose(historyAdvantages(group, { discount, scale: 'group', history: 2, exponent: 1 }), [
      [0.77218, 1.02455, 0.70711],
      [-1.41215, -1.41421, -0.99903, -0.99903],
      [0.63997, -0.22533, 0, 0.70711],
    ]);
  });

  it('equal anchor advantages if a context is the anchor alone', () => {
    const plain = anchorAdvantages(group, { discount, scale: 'none' });
    expectClose(historyAdvantages(group, { discount, scale: 'none', history: 0, exponent: 1 }), plain);
  });
});

describe('step advantages', () => {
  const attempts = fc.array(
    fc.array(fc.record({ anchor: fc.constantFrom('a', 'b', 'c'), reward: fc.integer({ min: -3, max: 3 }) }), {
      minLength: 1,
      maxLength: 6,
    }),
    { minLength: 1, maxLength: 5 },
  );

  it('sum to 0 over the steps from one state', () => {
    fc.assert(
      fc.property(attempts, (own) => {
        const found = anchorAdvantages(own, { discount, scale: 'none' });
        for (const anchor of ['a', 'b', 'c']) {
          const values = own.flatMap((each, which) =>
            each.flatMap((step, index) => (step.anchor === anchor ? [found[which]![index]!] : [])),
          );
          expect(values.reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 9);
        }
      }),
    );
  });

  it.each([
    ['equal rewards', [attempt('ab', [1, 1]), attempt('ab', [1, 1])]],
    ['a single attempt without repeated states', [attempt('abc', [0, 0, 10])]],
    ['no shared states', [attempt('ab', [0, 1]), attempt('cd', [0, 0])]],
  ])('are exactly 0 for %s', (_, own) => {
    for (const scale of ['none', 'group'] as const) {
      const zeros = own.map((each) => each.map(() => 0));
      expect(anchorAdvantages(own, { discount, scale })).toEqual(zeros);
      expect(historyAdvantages(own, { discount, scale, history: 2, exponent: 1 })).toEqual(zeros);
    }
  });

  it('refuse a reward that is not finite, and name its place', () => {
    expect(() => anchorAdvantages([attempt('ab', [0, NaN])], { discount, scale: 'none' })).toThrow(
      'rewards must be finite, got NaN at step 1 of attempt 0',
    );
  });
});
