import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clippedPolicyLoss, clippedSurrogate, type SurrogateOptions } from './clipped-policy.ts';
import { valueTerm } from './derivatives.ts';
import { duals } from './duals.ts';
import { clamp, maximum, minimum } from './extremes.ts';
import { k1, k2, k3 } from './divergence.ts';
import { numbers } from './numbers.ts';
import { clippedValueLoss, valueLossOf } from './value-loss.ts';
import { weightedImitation, weightedImitationLoss } from './weighted-imitation.ts';

/** float32, as graphs compute: every result is rounded. */
const rounded: typeof numbers = {
  add: (a, b) => Math.fround(a + b),
  subtract: (a, b) => Math.fround(a - b),
  multiply: (a, b) => Math.fround(a * b),
  scale: (a, factor) => Math.fround(a * factor),
  shift: (a, offset) => Math.fround(a + offset),
  exp: (a) => Math.fround(Math.exp(a)),
  logSigmoid: (a) => Math.fround(numbers.logSigmoid(a)),
  logComplement: (a) => Math.fround(numbers.logComplement(a)),
  relu: (a) => Math.max(a, 0),
};

const clip = { low: 0.1, high: 0.1 };
const surrogate = (
  logProbability: number,
  sampled: number,
  options: Partial<SurrogateOptions & { a: number }>,
) =>
  clippedSurrogate(
    numbers,
    { logProbability, sampledLogProbability: sampled, advantage: options.a ?? 1 },
    { clip, surrogate: 'minimum', ...options },
  );

describe('minimum, maximum and clamping', () => {
  it('equal those of Math, in float64 and, next to huge numbers, in float32', () => {
    const number = fc.double({ min: -1e9, max: 1e9, noNaN: true });
    fc.assert(
      fc.property(fc.double({ min: -2, max: 2, noNaN: true }), number, (a, b) => {
        expect(minimum(rounded, Math.fround(a), Math.fround(b))).toBeCloseTo(Math.fround(Math.min(a, b)), -3);
        expect(Math.abs(maximum(numbers, a, b) - Math.max(a, b))).toBeLessThan(1e-6);
        expect(clamp(rounded, Math.fround(b), { low: 0.9, high: 1.1 })).toBeCloseTo(
          Math.min(Math.max(b, 0.9), 1.1),
          6,
        );
      }),
    );
    // e²⁰ beside 1.1: in float32, e²⁰ − (e²⁰ − 1.1) would be 0
    expect(minimum(rounded, 1.1, Math.exp(20))).toBeCloseTo(1.1, 6);
  });
});

describe('the clipped policy loss', () => {
  // log-probability now, when sampled, advantage; a worksheet of RL4VLM's code, ε = 0.1
  it.each([
    [-2, -1.8, 1, -Math.exp(-0.2)], // ratio 0.818731, below the bound and A > 0: unclipped
    [-1.8, -2, 1, -1.1], // ratio 1.221403
    [-1.8, -2, -1, 1.221403],
    [-2.3, -2, 1, -0.740818],
    [-2.3, -2, -1, 0.9],
    [-2, -2, 3, -3],
  ])('for %d after %d with advantage %d is %d', (now, drawn, a, loss) => {
    expect(surrogate(now, drawn, { a })).toBeCloseTo(loss, 6);
  });

  it('with the published guard is the clamped part alone', () => {
    // ratio e³ = 20.085537
    expect(surrogate(-2, -5, { a: 1, surrogate: 'clamped' })).toBeCloseTo(-1.1, 12);
    expect(surrogate(-2, -5, { a: -1, surrogate: 'clamped' })).toBeCloseTo(1.1, 12);
    expect(surrogate(-2, -5, { a: -1 })).toBeCloseTo(20.085537, 6);
  });

  it('has two bounds', () => {
    const wide = { clip: { low: 0.2, high: 0.4 } };
    expect(surrogate(0, -1, { ...wide, a: 2 })).toBeCloseTo(-2.8, 12);
    expect(surrogate(-1, 0, { ...wide, a: -2 })).toBeCloseTo(1.6, 12);
  });

  it('equals the formula in CleanRL’s ppo.py, max(−A·r, −A·clamp(r)), on random data', () => {
    const log = fc.double({ min: -6, max: 0, noNaN: true });
    const advantage = fc.double({ min: -3, max: 3, noNaN: true });
    fc.assert(
      fc.property(log, log, advantage, (now, drawn, a) => {
        const ratio = Math.exp(now - drawn);
        const expected = Math.max(-a * ratio, -a * Math.min(Math.max(ratio, 0.9), 1.1));
        expect(surrogate(now, drawn, { a })).toBeCloseTo(expected, 9);
      }),
    );
  });

  it('has the slope −A · ratio if unclipped, 0 if clipped, by finite differences', () => {
    const slope = (now: number, drawn: number, a: number) =>
      clippedSurrogate(
        duals,
        {
          logProbability: { value: now, slope: 1 },
          sampledLogProbability: { value: drawn, slope: 0 },
          advantage: { value: a, slope: 0 },
        },
        { clip, surrogate: 'minimum' },
      ).slope;
    for (const [now, drawn, a] of [
      [-2, -2.05, 1.5],
      [-2, -2.05, -1.5],
      [-2.3, -2, 1],
      [-2, -2.3, -1],
      [-2, -2.3, 1],
      [-2.3, -2, -1],
    ] as const) {
      const step = 1e-6;
      const difference =
        (surrogate(now + step, drawn, { a }) - surrogate(now - step, drawn, { a })) / (2 * step);
      expect(slope(now, drawn, a)).toBeCloseTo(difference, 6);
    }
    expect(slope(-2, -2, 1.5)).toBe(-1.5);
    expect(slope(-2, -2.3, 1)).toBeCloseTo(0, 12);
    expect(slope(-2, -2.3, -1)).toBeCloseTo(Math.exp(0.3), 12);
  });

  it('decreases with entropy: a coefficient above 0 rewards it', () => {
    const loss = (entropyCoefficient: number) => {
      const made = clippedPolicyLoss({ credit: 'token', clip, entropyCoefficient });
      if (made.over !== 'tokens') throw new Error('is of tokens');
      const constants: Record<string, number> = { advantage: 1, sampledLogProbability: -2 };
      return made.formula(numbers, {
        logProbability: -2,
        entropy: 0.5,
        constant: (name) => constants[name]!,
      });
    };
    expect(loss(0)).toBe(-1);
    expect(loss(0.02)).toBeCloseTo(-1.01, 12);
  });

  it.each([
    [{ low: 0, high: 0.1 }, 0, 'low from above 0 to 1 and high above 0, got 0 and 0.1'],
    [{ low: 0.1, high: -1 }, 0, 'got 0.1 and -1'],
    [clip, NaN, 'the entropy coefficient must be a number, got NaN'],
  ])('rejects %j with entropy coefficient %d', (bounds, entropyCoefficient, message) => {
    const options = { credit: 'token', clip: bounds, entropyCoefficient } as const;
    expect(() => clippedPolicyLoss(options)).toThrow(message);
  });
});

describe('imitation weighted by advantage', () => {
  // −min(eᴬ, 10) · log π
  it.each([
    [-2, 0, 2],
    [-2, 1, 5.436564], // 2 e
    [-0.5, -1, 0.18394], // ½ e⁻¹
    [-2, 3, 20], // e³ = 20.09 is above 10
    [-2, 1000, 20], // e¹⁰⁰⁰ overflows float64
    [-2, -1000, 0],
  ])('of log-probability %d with advantage %d is %d', (logProbability, advantage, loss) => {
    expect(weightedImitation(numbers, { logProbability, advantage })).toBeCloseTo(loss, 6);
    expect(weightedImitation(rounded, { logProbability, advantage })).toBeCloseTo(loss, 4);
  });

  it('has the slope −min(eᴬ, 10), by finite differences', () => {
    for (const [now, advantage, expected] of [
      [-2, 0.5, -Math.exp(0.5)],
      [-0.1, -2, -Math.exp(-2)],
      [-3, 5, -10],
    ] as const) {
      const at = (logProbability: number) => weightedImitation(numbers, { logProbability, advantage });
      const difference = (at(now + 1e-6) - at(now - 1e-6)) / 2e-6;
      const { slope } = weightedImitation(duals, {
        logProbability: { value: now, slope: 1 },
        advantage: { value: advantage, slope: 0 },
      });
      expect(slope).toBeCloseTo(expected, 12);
      expect(difference).toBeCloseTo(expected, 6);
    }
  });

  it('is per token, or per answer by its factors, and decreases with entropy', () => {
    const constant = () => 1; // the advantage
    const ofTokens = weightedImitationLoss({ credit: 'token', entropyCoefficient: 0 });
    if (ofTokens.over !== 'tokens') throw new Error('is of tokens');
    expect(ofTokens.formula(numbers, { logProbability: -2, entropy: 0.5, constant })).toBeCloseTo(
      2 * Math.E,
      12,
    );
    const ofAnswers = weightedImitationLoss({ credit: 'answer', entropyCoefficient: 0.02 });
    if (ofAnswers.over !== 'answers') throw new Error('is of answers');
    expect(ofAnswers.pooling).toEqual({ factors: 'factors' });
    const answer = { logProbabilities: [-3], entropies: [0.5], constant };
    expect(ofAnswers.formula(numbers, answer)).toBeCloseTo(3 * Math.E - 0.01, 12);
  });
});

describe('the value loss', () => {
  const clipped = (value: number, sampledValue: number, target: number) =>
    clippedValueLoss(numbers, { value, sampledValue, return: target }, 0.1);

  it.each([
    [0.5, 0.2, 1, 0.245], // moved to 0.3: ½ 0.7² > ½ 0.5²
    [0.5, 0.2, 0.2, 0.045], // ½ 0.3² > ½ 0.1²
    [0.25, 0.2, 1, 0.28125],
    [-0.3, 0.2, 0.1, 0.08],
  ])('of %d, before %d, for a return of %d is %d', (value, before, target, loss) => {
    expect(clipped(value, before, target)).toBeCloseTo(loss, 12);
  });

  it('equals the formula in CleanRL’s ppo.py on random data, and half the squared error without a clip', () => {
    const number = fc.double({ min: -3, max: 3, noNaN: true });
    fc.assert(
      fc.property(number, number, number, (value, before, target) => {
        const moved = before + Math.min(Math.max(value - before, -0.1), 0.1);
        const expected = 0.5 * Math.max((value - target) ** 2, (moved - target) ** 2);
        expect(clipped(value, before, target)).toBeCloseTo(expected, 9);
        const plain = valueTerm(valueLossOf({ clip: null }), value, () => target);
        expect(plain.loss).toBeCloseTo(0.5 * (value - target) ** 2, 12);
        expect(plain.slope).toBeCloseTo(value - target, 12);
      }),
    );
  });

  it('has the slope of the larger part', () => {
    const slope = (value: number, before: number, target: number) =>
      valueTerm(valueLossOf({ clip: 0.1 }), value, (name) => (name === 'return' ? target : before)).slope;
    expect(slope(0.5, 0.2, 1)).toBeCloseTo(0, 12); // the clipped value does not depend on the value
    expect(slope(0.5, 0.2, 0.2)).toBeCloseTo(0.3, 12);
    expect(slope(0.25, 0.2, 1)).toBeCloseTo(-0.75, 12);
  });

  it('rejects an invalid clip', () => {
    expect(() => valueLossOf({ clip: 0 })).toThrow('value loss: the clip must be above 0, got 0');
  });
});

describe('estimates of a divergence', () => {
  it.each([
    [-0.5, 0.5, 0.125, 0.106531],
    [0, 0, 0, 0],
    [0.1, -0.1, 0.005, 0.005171],
    [1, -1, 0.5, 0.718282],
  ])('of a log-ratio of %d are %d, %d and %d', (x, ...expected) =>
    [k1, k2, k3].forEach((estimate, which) => expect(estimate(numbers, x)).toBeCloseTo(expected[which]!, 6)),
  );
});
