import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generalizedAdvantages, normalized, type AdvantageOptions, type StepNumbers } from './advantages.ts';

const options: AdvantageOptions = { discount: 0.9, trace: 0.95, truncation: 'bootstrap' };

/** One environment. */
const alone = (given: Partial<StepNumbers> & { readonly rewards: number[] }): StepNumbers => {
  const zeros = given.rewards.map(() => 0);
  return {
    environments: 1,
    values: zeros,
    terminated: zeros,
    truncated: zeros,
    finalValues: zeros,
    nextValues: [0],
    ...given,
  };
};

describe('generalized advantages', () => {
  // RL4VLM's recursion with masks [1, 1, 1, 1, 0, 1, 1]: the fourth step ends an episode
  const published = alone({
    rewards: [0, -1, 0, 1, 0, -1],
    values: [0.1, 0.2, -0.1, 0.5, 0.3, 0],
    terminated: [0, 0, 0, 1, 0, 0],
    nextValues: [0.4],
  });

  it('equal the numbers worked out for the published recursion', () => {
    const { advantages, returns } = generalizedAdvantages(published, options);
    const expected = [-0.3083730625, -0.4542375, 0.9775, 0.5, -0.8472, -0.64];
    expected.forEach((value, place) => expect(advantages[place]).toBeCloseTo(value, 9));
    const sums = [-0.2083730625, -0.2542375, 0.8775, 1, -0.5472, -0.64];
    sums.forEach((value, place) => expect(returns[place]).toBeCloseTo(value, 9));
    const unit = [-0.252313, -0.45717, 1.55361, 0.882993, -1.009059, -0.718061];
    unit.forEach((value, place) => expect(normalized(advantages, 1e-5)[place]).toBeCloseTo(value, 6));
  });

  it('equal Σ (γλ)ᵏ δ of one episode, and with λ = 1 the discounted return minus the value', () => {
    const number = fc.double({ min: -2, max: 2, noNaN: true });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(number, number), { minLength: 1, maxLength: 8 }),
        number,
        (steps, last) => {
          const [rewards, values] = [steps.map(([r]) => r), steps.map(([, v]) => v)];
          const made = alone({ rewards, values, nextValues: [last] });
          const whole = generalizedAdvantages(made, { ...options, trace: 1 });
          const discounted = rewards.reduce(
            (sum, r, place) => sum + 0.9 ** place * r,
            0.9 ** rewards.length * last,
          );
          expect(whole.advantages[0]).toBeCloseTo(discounted - values[0]!, 9);
          expect(whole.returns[0]).toBeCloseTo(discounted, 9);
          const deltas = rewards.map((r, place) => r + 0.9 * (values[place + 1] ?? last) - values[place]!);
          const traced = deltas.reduce((sum, delta, place) => sum + (0.9 * 0.95) ** place * delta, 0);
          expect(generalizedAdvantages(made, options).advantages[0]).toBeCloseTo(traced, 9);
        },
      ),
    );
  });

  const cut = alone({
    rewards: [1, 2, 4],
    values: [0.5, 0.25, 0.125],
    truncated: [0, 1, 0],
    finalValues: [NaN, 3, NaN],
    nextValues: [10],
  });

  it('bootstrap a truncated episode from its last observation; the next episode passes nothing back', () => {
    const { advantages } = generalizedAdvantages(cut, options);
    // 2 + 0.9 · 3 − 0.25 = 4.45; 1 + 0.9 · 0.25 − 0.5 + 0.855 · 4.45 = 4.52975; 4 + 9 − 0.125 = 12.875
    expect(advantages[1]).toBeCloseTo(4.45, 12);
    expect(advantages[0]).toBeCloseTo(4.52975, 12);
    expect(advantages[2]).toBeCloseTo(12.875, 12);
  });

  it('follow the published rules: treat truncation as termination, or give its step advantage 0', () => {
    const ended = generalizedAdvantages(cut, { ...options, truncation: 'termination' });
    // 2 − 0.25; 1 + 0.225 − 0.5 + 0.855 · 1.75 = 2.22125
    expect([ended.advantages[1], ended.advantages[0]].map((value) => value!.toFixed(9))).toEqual([
      '1.750000000',
      '2.221250000',
    ]);
    const masked = generalizedAdvantages(cut, { ...options, truncation: 'masked' });
    expect(masked.advantages[1]).toBe(0);
    expect(masked.returns[1]).toBe(0.25);
    expect(masked.advantages[0]).toBeCloseTo(0.725, 12);
  });

  it('bootstrap nothing if termination and step limit coincide', () => {
    const both = { ...cut, terminated: [0, 1, 0] };
    for (const truncation of ['bootstrap', 'termination', 'masked'] as const)
      expect(generalizedAdvantages(both, { ...options, truncation }).advantages[1]).toBeCloseTo(1.75, 12);
  });

  it('of several environments equal those of each one alone', () => {
    const two: StepNumbers = {
      environments: 2,
      rewards: [0, 1, -1, 2, 0, 4],
      values: [0.1, 0.5, 0.2, 0.25, -0.1, 0.125],
      terminated: [0, 0, 0, 0, 0, 0],
      truncated: [0, 0, 0, 1, 0, 0],
      finalValues: [NaN, NaN, NaN, 3, NaN, NaN],
      nextValues: [0.5, 10],
    };
    const { advantages } = generalizedAdvantages(two, options);
    const other = generalizedAdvantages(cut, options).advantages;
    expect([advantages[1], advantages[3], advantages[5]]).toEqual([...other]);
  });

  it('are refused for arrays of other lengths', () => {
    expect(() => generalizedAdvantages({ ...cut, environments: 2 }, options)).toThrow('got 3 rewards and 1');
  });

  it.each(
    JSON.parse(readFileSync(new URL('../../fixtures/sb3-rollouts.json', import.meta.url), 'utf8')) as Sb3[],
  )(
    'equal those of Stable-Baselines3’s RolloutBuffer: $name',
    ({ discount, trace, environments, steps, advantages, returns }) => {
      const flat = (rows: readonly (readonly number[])[]) => rows.flat();
      const found = generalizedAdvantages(
        {
          environments,
          rewards: flat(steps.rewards),
          values: flat(steps.values),
          terminated: flat(steps.terminated),
          truncated: flat(steps.truncated),
          finalValues: flat(steps.final_values),
          nextValues: steps.next_values,
        },
        { discount, trace, truncation: 'bootstrap' },
      );
      // SB3 computes in float32
      flat(advantages).forEach((value, place) =>
        expect(Math.abs(found.advantages[place]! - value)).toBeLessThan(2e-5),
      );
      flat(returns).forEach((value, place) =>
        expect(Math.abs(found.returns[place]! - value)).toBeLessThan(2e-5),
      );
    },
  );
});

interface Sb3 {
  readonly name: string;
  readonly discount: number;
  readonly trace: number;
  readonly environments: number;
  readonly steps: {
    readonly rewards: number[][];
    readonly values: number[][];
    readonly terminated: number[][];
    readonly truncated: number[][];
    readonly final_values: number[][];
    readonly next_values: number[];
  };
  readonly advantages: number[][];
  readonly returns: number[][];
}

describe('normalized numbers', () => {
  it('have mean 0 and unbiased deviation 1; a single number becomes 0', () => {
    // mean 2, squares 1 + 0 + 1, deviation √(2/2) = 1
    expect([...normalized([1, 2, 3], 0)]).toEqual([-1, 0, 1]);
    expect([...normalized([1, 2, 3], 1)]).toEqual([-0.5, 0, 0.5]);
    expect([...normalized([5], 1e-8)]).toEqual([0]);
  });
});
