import type { AnswerLoss, Arithmetic, Loss, TokenLoss } from '@emac/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { imitationLoss } from './imitation.ts';
import { numbers } from './numbers.ts';
import { clippedPolicyLoss } from './clipped-policy.ts';
import { preferenceLoss, preferenceLossOf } from './preference-loss.ts';
import { traceLoss, type LossTrace } from './trace.ts';
import { valueLossOf } from './value-loss.ts';
import { variantPairs, variants } from './variants.test.support.ts';

interface Terms {
  /** of the token, or of each answer */
  readonly logProbabilities: readonly number[];
  readonly entropies?: readonly number[];
  readonly value?: number;
  readonly constants: Readonly<Record<string, number>>;
}

type Step = readonly [string, ...(number | string)[]];

/** Runs a recorded program, as documented in `traceLoss`. */
function evaluated({ form, constants }: LossTrace, terms: Terms): number {
  const { steps, result } = JSON.parse(form) as { steps: Step[]; result: number };
  const values: number[] = [];
  let next = 0;
  for (const [operation, ...operands] of steps) {
    const [a, b] = operands.map((operand) => values[operand as number]!) as [number, number];
    const value = {
      token: () => terms.logProbabilities[0]!,
      answer: () => terms.logProbabilities[operands[0] as number]!,
      value: () => terms.value!,
      entropy: () => terms.entropies![(operands[0] ?? 0) as number]!,
      constant: () => terms.constants[operands[0]!]!,
      add: () => a + b,
      subtract: () => a - b,
      multiply: () => a * b,
      scale: () => a * constants[next++]!,
      shift: () => a + constants[next++]!,
      exp: () => Math.exp(a),
      logSigmoid: () => -Math.log1p(Math.exp(-a)),
      logComplement: () => Math.log(-Math.expm1(a)),
      relu: () => (a > 0 ? a : 0),
    }[operation]!;
    values.push(value());
  }
  expect(next).toBe(constants.length);
  return values[result]!;
}

/** The formula itself on numbers. */
function computed(loss: Loss, { logProbabilities, entropies = [NaN], constants }: Terms): number {
  const constant = (name: string) => constants[name]!;
  return loss.over === 'tokens'
    ? loss.formula(numbers, { logProbability: logProbabilities[0]!, entropy: entropies[0]!, constant })
    : loss.formula(numbers, { logProbabilities, entropies, constant });
}

const beta = fc.double({ min: 0.01, max: 2, noNaN: true });
const logProbability = fc.double({ min: -8, max: 0, noNaN: true });

describe('a traced loss', () => {
  it.each(variants)('%s: its program gives the loss, for every β', (_, options) =>
    fc.assert(
      fc.property(beta, fc.array(logProbability, { minLength: 4, maxLength: 4 }), (beta, values) => {
        const [policyChosen, policyRejected, referenceChosen, referenceRejected] = values as [
          number,
          number,
          number,
          number,
        ];
        const given = { ...options, beta };
        const loss = preferenceLossOf(given);
        const constants = { referenceChosen, referenceRejected };
        const terms = { logProbabilities: [policyChosen, policyRejected], constants };
        const found = evaluated(traceLoss(loss), terms);
        expect(found).toBeCloseTo(computed(loss, terms), 12);
        expect(found).toBeCloseTo(
          preferenceLoss(numbers, { policyChosen, policyRejected, ...constants }, given),
          12,
        );
      }),
    ),
  );

  it("of any formula gives the formula's result", () => {
    const step = fc.record({
      operation: fc.constantFrom(
        ...(['add', 'subtract', 'multiply', 'scale', 'shift', 'exp', 'logSigmoid', 'relu'] as const),
      ),
      operands: fc.tuple(fc.nat(), fc.nat()),
      number: fc.double({ min: -2, max: 2, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), fc.array(logProbability), (program, more) => {
        const loss: AnswerLoss = {
          over: 'answers',
          answers: 1 + more.length,
          pooling: 'mean',
          formula: <T>(arithmetic: Arithmetic<T>, { logProbabilities, constant }: Row<T>) => {
            const values = [...logProbabilities, constant('one'), constant('two'), constant('one')];
            for (const { operation, operands, number } of program) {
              const [a, b] = operands.map((operand) => values[operand % values.length]!) as [T, T];
              values.push(applied(arithmetic, operation, { a, b, number }));
            }
            return values.at(-1)!;
          },
        };
        const terms = { logProbabilities: [-1.5, ...more], constants: { one: 0.25, two: -3 } };
        const trace = traceLoss(loss);
        const expected = computed(loss, terms);
        expect(Math.abs(evaluated(trace, terms) - expected)).toBeLessThanOrEqual(
          1e-9 * Math.max(1, Math.abs(expected)),
        );
        expect(trace.names).toEqual(['one', 'two']);
      }),
    );
  });

  it('has one form for all β, mix ratios above 0 and poolings, and lists their numbers in order', () => {
    const [one, other] = [
      traceLoss(preferenceLossOf({ beta: 0.1, mixRatio: 0.5 })),
      traceLoss(preferenceLossOf({ beta: 3, mixRatio: 0.25, averageLogProbabilities: false })),
    ];
    expect(other.form).toBe(one.form);
    // β before the log-sigmoid, −1 after it (label smoothing 0), −mix ratio of the chosen answer
    expect(one.constants).toEqual([0.1, -1, -0.5]);
    expect(other.constants).toEqual([3, -1, -0.25]);
    expect(one.names).toEqual(['referenceChosen', 'referenceRejected']);
  });

  it('has another form for another formula', () => {
    const forms = variants.map(([, options]) => traceLoss(preferenceLossOf(options)).form);
    expect(new Set([...forms, traceLoss(imitationLoss).form]).size).toBe(variants.length + 1);
    const tokens: TokenLoss = { over: 'tokens', formula: (_, { logProbability }) => logProbability };
    const answers: AnswerLoss = {
      over: 'answers',
      answers: 1,
      pooling: 'mean',
      formula: (_, { logProbabilities }) => logProbabilities[0]!,
    };
    expect(traceLoss(tokens).form).not.toBe(traceLoss(answers).form);
  });

  it('without a reference does not read it', () => {
    const loss = preferenceLossOf({ beta: 0.4, mixRatio: 0, referenceFree: true });
    expect(traceLoss(loss).names).toEqual([]);
    const { policyChosen, policyRejected } = variantPairs[0]!;
    const terms = { logProbabilities: [policyChosen, policyRejected], constants: {} };
    // h = −1 + 3 = 2: ln(1 + e^(−0.4 · 2)) = ln 1.449328964117222 = 0.371100666
    expect(computed(loss, terms)).toBeCloseTo(0.371100666, 8);
  });

  it.each(['token', 'answer'] as const)(
    'of PPO (%s) has one form for all bounds and coefficients above 0, and gives the loss',
    (credit) => {
      const of = (low: number, entropyCoefficient: number) =>
        clippedPolicyLoss({ credit, clip: { low, high: 0.3 }, entropyCoefficient });
      const trace = traceLoss(of(0.2, 0.01));
      expect(traceLoss(of(0.1, 0.5)).form).toBe(trace.form);
      expect(trace.names).toEqual(['sampledLogProbability', 'advantage']);
      expect(trace.readsEntropy).toBe(true);
      const terms = {
        logProbabilities: [-1],
        entropies: [0.5],
        constants: { sampledLogProbability: -1.125, advantage: 2 },
      };
      // ratio e^0.125 = 1.133148453, within the bounds: −2 · 1.133148453 − 0.01 · 0.5
      expect(evaluated(trace, terms)).toBeCloseTo(-2.271296906, 8);
      expect(computed(of(0.2, 0.01), terms)).toBeCloseTo(-2.271296906, 8);
      const without = traceLoss(of(0.2, 0));
      expect([without.readsEntropy, without.form === trace.form]).toEqual([false, false]);
    },
  );

  it('of values has one form for all clips', () => {
    const trace = traceLoss(valueLossOf({ clip: 0.1 }));
    expect(traceLoss(valueLossOf({ clip: 3 })).form).toBe(trace.form);
    expect(trace.names).toEqual(['return', 'sampledValue']);
    // ½ (0.2 + 0.1 − 1)² = 0.245
    const terms = { logProbabilities: [], value: 0.5, constants: { sampledValue: 0.2, return: 1 } };
    expect(evaluated(trace, terms)).toBeCloseTo(0.245, 12);
  });

  it("of imitation is minus a token's log-probability", () => {
    expect(traceLoss(imitationLoss)).toEqual({
      form: '{"over":"tokens","steps":[["token"],["scale",0]],"result":1}',
      constants: [-1],
      names: [],
      readsEntropy: false,
    });
    expect(computed(imitationLoss, { logProbabilities: [-2.5], constants: {} })).toBe(2.5);
  });
});

interface Row<T> {
  readonly logProbabilities: readonly T[];
  constant(name: string): T;
}

function applied<T>(
  arithmetic: Arithmetic<T>,
  operation: string,
  { a, b, number }: { readonly a: T; readonly b: T; readonly number: number },
): T {
  switch (operation) {
    case 'scale':
    case 'shift':
      return arithmetic[operation](a, number);
    case 'exp':
    case 'logSigmoid':
    case 'relu':
      return arithmetic[operation](a);
    default:
      return arithmetic[operation as 'add'](a, b);
  }
}
