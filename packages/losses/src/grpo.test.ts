import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { answerWeights, normalizations, type AnswerWeighting } from './answer-weights.ts';
import { duals } from './duals.ts';
import { grpoLoss, grpoTerm, type GrpoLossOptions } from './grpo.ts';
import { numbers } from './numbers.ts';
import { traceLoss } from './trace.ts';

/** TRL's own method on random data, in float64; `tools/reference/write_grpo.py` made it. */
interface Case extends AnswerWeighting, GrpoLossOptions {
  readonly logProbabilities: readonly (readonly number[])[];
  readonly sampled: readonly (readonly number[])[];
  readonly reference: readonly (readonly number[])[];
  readonly advantages: readonly number[];
  readonly loss: number;
  readonly gradient: readonly (readonly number[])[];
}
const cases = JSON.parse(readFileSync(new URL('../fixtures/grpo.json', import.meta.url), 'utf8')) as Case[];

interface Token {
  readonly now: number;
  readonly sampled: number;
  readonly reference: number;
  readonly advantage: number;
}

/** A term and its slope in the token's log-probability, by the training formula. */
function termAt({ now, sampled, reference, advantage }: Token, options: GrpoLossOptions) {
  const loss = grpoLoss(options);
  const given: Record<string, number> = {
    sampledLogProbability: sampled,
    referenceLogProbability: reference,
    advantage,
  };
  const constant = (name: string) => ({ value: given[name]!, slope: 0 });
  const logProbability = { value: now, slope: 1 };
  if (loss.over === 'answers')
    return loss.formula(duals, { logProbabilities: [logProbability], entropies: [], constant });
  return loss.formula(duals, { logProbability, entropy: { value: NaN, slope: NaN }, constant });
}

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('GRPO’s loss', () => {
  it('is tested on sixteen TRL cases: four normalizations, with and without β, and with a ratio per answer', () => {
    expect(new Set(cases.map(({ normalization }) => normalization)).size).toBe(4);
    expect(cases.filter(({ ratio = 'token' }) => ratio === 'token')).toHaveLength(12);
    expect(cases.filter(({ ratio }) => ratio === 'answer')).toHaveLength(4);
  });

  it.each(cases.filter(({ ratio }) => ratio === 'answer'))(
    'and its gradient match TRL for $normalization, with a ratio per answer',
    ({ clip, beta, ...given }) => {
      const weights = answerWeights(
        given.logProbabilities.map(({ length }) => length),
        given,
      );
      let total = 0;
      given.logProbabilities.forEach((answer, row) => {
        const sampled = meanOf(given.sampled[row]!);
        const asked = { now: meanOf(answer), sampled, reference: NaN, advantage: given.advantages[row]! };
        const { value, slope } = termAt(asked, { clip, beta, ratio: 'answer' });
        // the term counts for every token, and each token moves the mean by 1 / |y|
        total += weights[row]! * answer.length * value;
        for (const expected of given.gradient[row]!)
          expect(Math.abs(weights[row]! * slope - expected)).toBeLessThan(1e-12);
      });
      expect(Math.abs(total - given.loss)).toBeLessThan(1e-12);
    },
  );

  it('has GSPO’s ratio: the root of the answer’s ratio by its length', () => {
    const options = { clip: { low: 3e-4, high: 4e-4 }, beta: 0, ratio: 'answer' } as const;
    // four tokens, log π now −4.0008 in all, sampled −4: ratio e^(−0.0008 / 4) = e^−0.0002 = 0.99980002, above 1 − 0.0003
    const now = { now: -4.0008 / 4, sampled: -1, reference: NaN, advantage: -2 };
    expect(termAt(now, options).value).toBeCloseTo(2 * 0.99980002, 8);
    expect(termAt(now, options).slope).toBeCloseTo(2 * 0.99980002, 8);
    // of the same answer with one token the ratio is e^−0.0008 < 0.9997: clipped for a bad answer, without slope
    const short = { ...now, now: -4.0008, sampled: -4 };
    expect(termAt(short, options).value).toBeCloseTo(2 * 0.9997, 12);
    expect(termAt(short, options).slope).toBeCloseTo(0, 15);
    // a good answer is clipped above alone
    expect(termAt({ ...short, advantage: 2 }, options).value).toBeCloseTo(-2 * Math.exp(-0.0008), 12);
  });

  it.each(cases.filter(({ ratio = 'token' }) => ratio === 'token'))(
    'and its gradient match TRL for $normalization, β $beta',
    (given) => {
      const weights = answerWeights(
        given.logProbabilities.map(({ length }) => length),
        given,
      );
      let total = 0;
      given.logProbabilities.forEach((answer, row) =>
        answer.forEach((now, token) => {
          const sampled = given.sampled[row]![token]!;
          const reference = given.reference[row]![token]!;
          const { value, slope } = termAt(
            { now, sampled, reference, advantage: given.advantages[row]! },
            { clip: given.clip, beta: given.beta },
          );
          total += weights[row]! * value;
          expect(Math.abs(weights[row]! * slope - given.gradient[row]![token]!)).toBeLessThan(1e-12);
        }),
      );
      expect(Math.abs(total - given.loss)).toBeLessThan(1e-12);
    },
  );

  it('matches finite differences, with clipping and without', () => {
    const log = fc.double({ min: -3, max: -0.1, noNaN: true });
    const advantage = fc.double({ min: -2, max: 2, noNaN: true });
    const estimate = fc.constantFrom('k1' as const, 'k2' as const, 'k3' as const, undefined);
    const form = fc.record({ clipped: fc.boolean(), estimate });
    fc.assert(
      fc.property(log, log, log, advantage, form, (now, sampled, reference, a, { clipped, estimate }) => {
        const clip = clipped ? { low: 0.2, high: 0.28 } : null;
        const ratio = Math.exp(now - sampled);
        // at a bound the loss has a kink
        fc.pre(Math.abs(ratio - 0.8) > 1e-4 && Math.abs(ratio - 1.28) > 1e-4);
        const options = { clip, beta: 0.1, estimate };
        const at = (moved: number) => termAt({ now: moved, sampled, reference, advantage: a }, options);
        const difference = (at(now + 1e-6).value - at(now - 1e-6).value) / 2e-6;
        expect(Math.abs(at(now).slope - difference)).toBeLessThan(1e-6 * Math.max(1, Math.abs(difference)));
      }),
    );
  });

  it('is −A with slope −A if policy, sampling policy and reference are equal', () => {
    const first = { now: -1.5, sampled: -1.5, reference: -1.5, advantage: 0.7 };
    expect(termAt(first, { clip: { low: 0.2, high: 0.2 }, beta: 0.04 })).toEqual({
      value: -0.7,
      slope: -0.7,
    });
    expect(termAt(first, { clip: null, beta: 0.04 })).toEqual({ value: -0.7, slope: -0.7 });
  });

  it("pulls the policy to the reference: the penalty's slope is β(1 − e^(reference − policy))", () => {
    const apart = { now: -2, sampled: -2, reference: -1, advantage: 0 };
    // the reference prefers the token: its probability must rise, the slope is below 0; k3(1) = 0.718282
    const { value, slope } = termAt(apart, { clip: null, beta: 0.5 });
    expect(value).toBeCloseTo(0.5 * 0.718282, 6);
    expect(slope).toBeCloseTo(0.5 * (1 - Math.E), 9);
  });

  it.each([
    // of x = reference − policy = 1: β(−x) with slope β, β x² / 2 with slope −β x
    ['k1', -0.5, 0.5],
    ['k2', 0.25, -0.5],
  ] as const)('estimates the divergence by %s if asked', (estimate, expected, expectedSlope) => {
    const apart = { now: -2, sampled: -2, reference: -1, advantage: 0 };
    const { value, slope } = termAt(apart, { clip: null, beta: 0.5, estimate });
    expect(value).toBeCloseTo(expected, 12);
    expect(slope).toBeCloseTo(expectedSlope, 12);
  });

  it('does not read the reference if β is 0', () => {
    expect(traceLoss(grpoLoss({ clip: null, beta: 0 })).names).toEqual([
      'sampledLogProbability',
      'advantage',
    ]);
    expect(traceLoss(grpoLoss({ clip: null, beta: 0.1 })).names).toContain('referenceLogProbability');
    const alone = grpoTerm(
      numbers,
      {
        logProbability: -1,
        sampledLogProbability: -1,
        advantage: 2,
        referenceLogProbability: () => {
          throw new Error('there is none');
        },
      },
      { clip: null, beta: 0 },
    );
    expect(alone).toBe(-2);
  });

  it.each([
    [{ clip: { low: 2, high: 0.1 }, beta: 0 }, 'low from above 0 to 1 and high above 0, got 2 and 0.1'],
    [{ clip: null, beta: -1 }, 'beta must be 0 or above, got -1'],
    [{ clip: null, beta: NaN }, 'beta must be 0 or above, got NaN'],
    [{ clip: null, beta: 0.1, ratio: 'answer' }, 'beta must be 0 with a ratio per answer'],
  ] as const)('rejects %j', (options, message) => expect(() => grpoLoss(options)).toThrow(message));
});

describe('the weights of answers', () => {
  const lengths = [4, 1, 2, 0, 5];
  const weighting = { microBatchSize: 3, maxLength: 10 };

  it.each([
    ['grpo', [1 / 20, 1 / 5, 1 / 10, 0, 1 / 25]], // each answer a fifth, split over its tokens
    ['bnpo', [1 / 14, 1 / 14, 1 / 14, 0, 1 / 10]], // two micro-batches of 7 and 5 tokens, a half each
    ['dr_grpo', [1 / 50, 1 / 50, 1 / 50, 0, 1 / 50]],
    ['dapo', [1 / 12, 1 / 12, 1 / 12, 0, 1 / 12]],
  ] as const)('are correct for %s', (normalization, expected) => {
    const weights = answerWeights(lengths, { ...weighting, normalization });
    weights.forEach((weight, place) => expect(weight).toBeCloseTo(expected[place]!, 15));
  });

  it('do not count tokens of an answer that is left out, and are finite with nothing left', () => {
    // 30 tokens, 5 of them in an answer that is left out: each other token has 1/25
    for (const normalization of ['bnpo', 'dapo'] as const)
      expect(answerWeights([10, 0, 15], { ...weighting, normalization })).toEqual([1 / 25, 0, 1 / 25]);
    for (const normalization of normalizations)
      expect(answerWeights([0, 0], { ...weighting, normalization })).toEqual([0, 0]);
  });

  it('reject invalid sizes', () => {
    expect(() => answerWeights([1], { ...weighting, microBatchSize: 0, normalization: 'bnpo' })).toThrow(
      'microBatchSize must be a whole number from 1, got 0',
    );
  });
});
