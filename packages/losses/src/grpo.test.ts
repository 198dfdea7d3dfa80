import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { answerWeights, type AnswerWeighting } from './answer-weights.ts';
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
  if (loss.over !== 'tokens') throw new Error('is of tokens');
  const given: Record<string, number> = {
    sampledLogProbability: sampled,
    referenceLogProbability: reference,
    advantage,
  };
  return loss.formula(duals, {
    logProbability: { value: now, slope: 1 },
    entropy: { value: NaN, slope: NaN },
    constant: (name) => ({ value: given[name]!, slope: 0 }),
  });
}

describe('GRPO’s loss', () => {
  it('is tested on twelve TRL cases: four normalizations, with and without β', () => {
    expect(new Set(cases.map(({ normalization }) => normalization)).size).toBe(4);
    expect(cases).toHaveLength(12);
  });

  it.each(cases)('and its gradient match TRL for $normalization, β $beta', (given) => {
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
  });

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
  ])('rejects %j', (options, message) => expect(() => grpoLoss(options)).toThrow(message));
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

  it('reject invalid sizes', () => {
    expect(() => answerWeights([1], { ...weighting, microBatchSize: 0, normalization: 'bnpo' })).toThrow(
      'microBatchSize must be a whole number from 1, got 0',
    );
  });
});
