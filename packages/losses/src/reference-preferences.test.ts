import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { preferenceDerivatives } from './derivatives.ts';
import { duals } from './duals.ts';
import { kto, ktoLossOf } from './kto.ts';
import { numbers } from './numbers.ts';
import { orpo } from './orpo.ts';
import { preferenceLoss, preferenceLossOf } from './preference-loss.ts';
import { simpo } from './simpo.ts';
import { traceLoss } from './trace.ts';

/** Losses of TRL 1.16.0 with PyTorch's slopes; made by `tools/reference/write_preferences.py`. */
interface Case {
  readonly loss: 'simpo' | 'orpo';
  readonly beta: number;
  readonly targetMargin: number;
  readonly chosen: readonly number[];
  readonly rejected: readonly number[];
  readonly losses: readonly number[];
  readonly chosenSlopes: readonly number[];
  readonly rejectedSlopes: readonly number[];
}
const file = new URL('../fixtures/preferences.json', import.meta.url);
interface KtoCase extends Omit<Case, 'loss' | 'losses'> {
  readonly desirableWeight: number;
  readonly undesirableWeight: number;
  readonly divergence: number;
  /** mean of log π − log reference over mismatched answers */
  readonly gap: number;
  /** mean over all answers */
  readonly total: number;
  readonly referenceChosen: readonly number[];
  readonly referenceRejected: readonly number[];
}
const { pairs: cases, kto: ktoCases } = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly pairs: readonly Case[];
  readonly kto: readonly KtoCase[];
};

const pair = (policyChosen: number, policyRejected: number) => ({
  policyChosen,
  policyRejected,
  referenceChosen: NaN,
  referenceRejected: NaN,
});

describe('SimPO', () => {
  it('has the value derived by hand', () => {
    // β (−1 + 3) − γ = 2 · 2 − 1 = 3: ln(1 + e⁻³) = 0.048587351573742
    expect(simpo(numbers, pair(-1, -3), { beta: 2, targetMargin: 1 })).toBeCloseTo(0.048587351573742, 14);
    // a margin that is just met: ln 2
    expect(simpo(numbers, pair(-1, -3), { beta: 2, targetMargin: 4 })).toBeCloseTo(Math.LN2, 14);
  });
});

describe('ORPO', () => {
  it('has the value derived by hand', () => {
    // p 3/4 and 1/3: odds 3 and 1/2, their ratio 6: −½ ln σ(ln 6) = ½ ln(7/6) = 0.077075339914
    const halves = pair(Math.log(3 / 4), Math.log(1 / 3));
    expect(orpo(numbers, halves, { beta: 0.5 })).toBeCloseTo(0.077075339914, 12);
    // with the term of imitation, −ln ¾ = 0.287682072452
    const whole = preferenceLoss(numbers, halves, { loss: 'orpo', beta: 0.5, mixRatio: 1 });
    expect(whole).toBeCloseTo(0.077075339914 + 0.287682072452, 11);
  });

  it('is finite for answers that are certain, and pulls at them no more', () => {
    for (const [chosen, rejected] of [
      [0, -1],
      [-1, 0],
      [0, 0],
    ] as const) {
      const of = pair(chosen, rejected);
      const found = preferenceDerivatives((a, p) => orpo(a, p, { beta: 0.1 }), of);
      expect([found.loss, found.chosen, found.rejected].every(Number.isFinite)).toBe(true);
      if (chosen === 0) expect(found.chosen).toBeCloseTo(0, 15);
    }
  });
});

describe('KTO', () => {
  it('has the value derived by hand', () => {
    const of = {
      policyChosen: -1,
      policyRejected: -3,
      referenceChosen: -2,
      referenceRejected: -2,
      divergence: 0.5,
    };
    // β 2: chosen σ(2(0.5 − 1)) = σ(−1) = 0.268941421, rejected σ(2(−1 − 0.5)) = σ(−3) = 0.047425873; half their sum
    expect(kto(numbers, of, { beta: 2 })).toBeCloseTo(0.158183647, 8);
    // with weights 1 and 3: ½ · 0.268941421 + 1.5 · 0.047425873
    expect(kto(numbers, of, { beta: 2, undesirableWeight: 3 })).toBeCloseTo(0.20560952, 8);
  });

  it.each(ktoCases)('matches TRL: β $beta, weights $desirableWeight and $undesirableWeight', (given) => {
    expect(given.divergence).toBeCloseTo(Math.max(0, given.gap), 12);
    const { beta, desirableWeight, undesirableWeight, divergence } = given;
    const options = { loss: 'kto', beta, desirableWeight, undesirableWeight, mixRatio: 0 } as const;
    const { length } = given.chosen;
    const found = given.chosen.map((policyChosen, place) =>
      preferenceDerivatives((arithmetic, of) => preferenceLoss(arithmetic, of, options), {
        policyChosen,
        policyRejected: given.rejected[place]!,
        referenceChosen: given.referenceChosen[place]!,
        referenceRejected: given.referenceRejected[place]!,
        divergence,
      }),
    );
    const total = found.reduce((sum, { loss }) => sum + loss, 0) / length;
    expect(Math.abs(total - given.total)).toBeLessThan(1e-12);
    found.forEach(({ chosen, rejected }, place) => {
      expect(Math.abs(chosen / length - given.chosenSlopes[place]!)).toBeLessThan(1e-12);
      expect(Math.abs(rejected / length - given.rejectedSlopes[place]!)).toBeLessThan(1e-12);
    });
  });
});

describe('KTO of single answers', () => {
  it.each(ktoCases)('matches TRL: β $beta, weights $desirableWeight and $undesirableWeight', (given) => {
    const loss = ktoLossOf({ beta: given.beta, averageLogProbabilities: false });
    const termOf = (value: number, reference: number, sign: number) => {
      const read: Record<string, number> = { reference, divergence: given.divergence, sign };
      const constant = (name: string) => ({ value: read[name]!, slope: 0 });
      return loss.formula(duals, { logProbabilities: [{ value, slope: 1 }], entropies: [], constant });
    };
    const count = 2 * given.chosen.length;
    let total = 0;
    for (const place of given.chosen.keys()) {
      const good = termOf(given.chosen[place]!, given.referenceChosen[place]!, 1);
      const bad = termOf(given.rejected[place]!, given.referenceRejected[place]!, -1);
      const [desirable, undesirable] = [given.desirableWeight / count, given.undesirableWeight / count];
      total += desirable * good.value + undesirable * bad.value;
      expect(Math.abs(desirable * good.slope - given.chosenSlopes[place]!)).toBeLessThan(1e-12);
      expect(Math.abs(undesirable * bad.slope - given.rejectedSlopes[place]!)).toBeLessThan(1e-12);
    }
    expect(Math.abs(total - given.total)).toBeLessThan(1e-12);
  });
});

describe('losses without a reference', () => {
  it('do not read one', () => {
    for (const loss of ['simpo', 'orpo'] as const)
      expect(traceLoss(preferenceLossOf({ loss, beta: 1, mixRatio: 1 })).names).toEqual([]);
  });

  it.each(cases)('match TRL: $loss, β $beta, γ $targetMargin', ({ loss, beta, targetMargin, ...given }) => {
    // TRL's ORPO computes in float32: 6e-8 of values up to 4, and of slopes up to β / (1 − p) with p above 0.99
    const digits = loss === 'simpo' ? 1e-12 : 2e-6;
    expect(given.losses).toHaveLength(8);
    given.losses.forEach((expected, place) => {
      const found = preferenceDerivatives(
        (arithmetic, of) => preferenceLoss(arithmetic, of, { loss, beta, targetMargin, mixRatio: 0 }),
        pair(given.chosen[place]!, given.rejected[place]!),
      );
      expect(Math.abs(found.loss - expected)).toBeLessThan(digits);
      expect(Math.abs(found.chosen - given.chosenSlopes[place]!)).toBeLessThan(digits);
      expect(Math.abs(found.rejected - given.rejectedSlopes[place]!)).toBeLessThan(digits);
    });
  });
});
