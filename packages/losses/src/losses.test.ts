import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { behaviourCloning } from './behaviour-cloning.ts';
import { preferenceDerivatives } from './derivatives.ts';
import { dpo } from './dpo.ts';
import { hinge } from './hinge.ts';
import { ipo } from './ipo.ts';
import { preferenceMetrics } from './metrics.ts';
import { withMixRatio } from './mix-ratio.ts';
import { numbers } from './numbers.ts';
import type { Arithmetic } from '@emac/core';
import type { PreferenceLogProbabilities } from './preference.ts';
import { preferenceLoss } from './preference-loss.ts';
import { variantPairs, variants } from './variants.test.support.ts';

const zero = { policyChosen: 0, policyRejected: 0, referenceChosen: 0, referenceRejected: 0 };
// h = (−1 − (−3)) − (−2 − (−2.5)) = 2 − 0.5 = 1.5
const pairs = { policyChosen: -1, policyRejected: -3, referenceChosen: -2, referenceRejected: -2.5 };

describe('log sigmoid on numbers', () => {
  it('is stable far from zero', () => {
    expect(numbers.logSigmoid(0)).toBeCloseTo(-Math.LN2, 15);
    expect(numbers.logSigmoid(-1000)).toBe(-1000);
    // e⁻¹⁰⁰⁰ is below the smallest double
    expect(numbers.logSigmoid(1000)).toBeCloseTo(0, 300);
    // for large a, log σ(a) → −e⁻ᵃ; at 40 that is −4.248354255291589e-18
    expect(numbers.logSigmoid(40) / -4.248354255291589e-18).toBeCloseTo(1, 12);
  });
});

describe('behaviour cloning', () => {
  it('is minus the mean log-probability', () => {
    expect(behaviourCloning(numbers, -3.5679)).toBe(3.5679);
  });
});

describe('DPO', () => {
  it('is ln 2 if policy and reference agree', () => {
    expect(dpo(numbers, zero, { beta: 0.1 })).toBeCloseTo(Math.LN2, 15);
    const same = { policyChosen: -2, policyRejected: -7, referenceChosen: -2, referenceRejected: -7 };
    expect(dpo(numbers, same, { beta: 5 })).toBeCloseTo(Math.LN2, 15);
  });

  it('has the value derived by hand', () => {
    // ln(1 + e^(−2 · 1.5)) = ln(1.049787068367864) = 0.048587351573742
    expect(dpo(numbers, pairs, { beta: 2 })).toBeCloseTo(0.048587351573742, 14);
    // without the reference h = 2: ln(1 + e⁻⁴) = 0.018149927917810
    expect(dpo(numbers, pairs, { beta: 2, referenceFree: true })).toBeCloseTo(0.01814992791781, 14);
    // with ε = 0.25 a quarter of −log σ(−3) = 3.048587351573742 comes in:
    // 0.75 · 0.048587351573742 + 0.25 · 3.048587351573742 = 0.798587351573742
    expect(dpo(numbers, pairs, { beta: 2, labelSmoothing: 0.25 })).toBeCloseTo(0.798587351573742, 14);
  });

  it('with mix ratio gives the first row of a published DPO log', () => {
    // NLL 3.5679 and equal policies: ln 2 + 0.5 · 3.5679 = 0.693147 + 1.783950 = 2.477097, printed 2.4771
    const policyChosen = -3.5679;
    const row = { policyChosen, policyRejected: -4, referenceChosen: policyChosen, referenceRejected: -4 };
    const loss = withMixRatio(numbers, dpo(numbers, row, { beta: 0.1 }), { policyChosen, mixRatio: 0.5 });
    expect(loss).toBeCloseTo(2.4771, 4);
  });
});

describe('IPO and hinge', () => {
  it('have the values derived by hand', () => {
    // (1.5 − 1/(2 · 0.25))² = (1.5 − 2)² = 0.25
    expect(ipo(numbers, pairs, { beta: 0.25 })).toBe(0.25);
    // max(0, 1 − 0.5 · 1.5) = 0.25; with β = 1 it is past the margin
    expect(hinge(numbers, pairs, { beta: 0.5 })).toBe(0.25);
    expect(hinge(numbers, pairs, { beta: 1 })).toBe(0);
  });

  it('without the reference take h = 2', () => {
    // (2 − 1/(2 · 0.25))² = 0 and (2 − 1)² = 1; max(0, 1 − 0.25 · 2) = 0.5
    expect(ipo(numbers, pairs, { beta: 0.25, referenceFree: true })).toBe(0);
    expect(ipo(numbers, pairs, { beta: 0.5, referenceFree: true })).toBe(1);
    expect(hinge(numbers, pairs, { beta: 0.25, referenceFree: true })).toBe(0.5);
  });
});

describe('the loss of preference training', () => {
  const mixRatio = 0.5;

  it('is the selected loss plus 0.5 · 1 for the chosen answer of log-probability −1', () => {
    // ln(1 + e⁻³) from above; (1.5 − 1/(2 · 0.25))² = 0.25; max(0, 1 − 0.5 · 1.5) = 0.25
    expect(preferenceLoss(numbers, pairs, { beta: 2, mixRatio })).toBeCloseTo(0.548587351573742, 14);
    expect(preferenceLoss(numbers, pairs, { loss: 'ipo', beta: 0.25, mixRatio })).toBe(0.75);
    expect(preferenceLoss(numbers, pairs, { loss: 'hinge', beta: 0.5, mixRatio })).toBe(0.75);
    // 0.75 · 0.048587351573742 + 0.25 · 3.048587351573742 + 0.5
    const smoothed = preferenceLoss(numbers, pairs, { beta: 2, mixRatio, labelSmoothing: 0.25 });
    expect(smoothed).toBeCloseTo(1.298587351573742, 14);
  });

  it.each([
    [{ beta: 0, mixRatio }, 'beta must be above 0, got 0'],
    [{ beta: 0.1, mixRatio: -1 }, 'mix ratio must be 0 or above, got -1'],
    [{ beta: 0.1, mixRatio, labelSmoothing: 0.5 }, 'label smoothing must be from 0 to below 0.5, got 0.5'],
    [
      { beta: 0.1, mixRatio, loss: 'ipo', labelSmoothing: 0.1 },
      'label smoothing belongs to sigmoid, got ipo',
    ],
  ] as const)('rejects %j', (options, message) => {
    expect(() => preferenceLoss(numbers, pairs, options)).toThrow(message);
  });
});

describe('derivatives', () => {
  it.each(variants)('of %s match finite differences', (_, options) => {
    const loss = <T>(arithmetic: Arithmetic<T>, of: PreferenceLogProbabilities<T>) =>
      preferenceLoss(arithmetic, of, options);
    const step = 1e-5;
    for (const pair of variantPairs) {
      const slope = (name: 'policyChosen' | 'policyRejected') =>
        (loss(numbers, { ...pair, [name]: pair[name] + step }) -
          loss(numbers, { ...pair, [name]: pair[name] - step })) /
        (2 * step);
      const found = preferenceDerivatives(loss, pair);
      expect(found.loss).toBeCloseTo(loss(numbers, pair), 14);
      expect(found.chosen).toBeCloseTo(slope('policyChosen'), 8);
      expect(found.rejected).toBeCloseTo(slope('policyRejected'), 8);
    }
  });

  it('of DPO at equal policies are ∓β/2', () => {
    // d/dh −log σ(βh) = −β σ(−βh), at h = 0 this is −β/2
    const found = preferenceDerivatives((a, p) => dpo(a, p, { beta: 0.1 }), zero);
    expect(found.chosen).toBeCloseTo(-0.05, 15);
    expect(found.rejected).toBeCloseTo(0.05, 15);
  });
});

describe('preference metrics', () => {
  it('are rewards, margin, accuracy and NLL, averaged over the pairs', () => {
    // first pair: 0.1 · (−1 + 2) = 0.1 and 0.1 · (−3 + 2.5) = −0.05; second pair: all zero; a tie is not a win
    const found = preferenceMetrics([pairs, zero], { beta: 0.1 });
    expect(found.chosenReward).toBeCloseTo(0.05, 12);
    expect(found.rejectedReward).toBeCloseTo(-0.025, 12);
    expect(found.margin).toBeCloseTo(0.075, 12);
    expect([found.accuracy, found.nll]).toEqual([0.5, 0.5]);
  });
});

describe.skipIf(!process.env.EMAC_TEST_DATA)('a published DPO log (needs EMAC_TEST_DATA)', () => {
  it('has the losses that follow from its rewards and NLL, in every row', () => {
    const file = join(process.env.EMAC_TEST_DATA!, 'derived/train_rows_dpo.csv');
    const rows = readFileSync(file, 'utf8').trim().split('\n').slice(1);
    expect(rows).toHaveLength(120);
    for (const row of rows) {
      const [, , , loss, w, l, nll] = row.split(',').map(Number) as [
        number,
        number,
        number,
        number,
        number,
        number,
        number,
      ];
      // W = β(πw − rw) and L = β(πl − rl) fix both references once πw = −NLL and πl = 0 are chosen.
      const beta = 0.1;
      const policyChosen = -nll;
      const pair = {
        policyChosen,
        policyRejected: 0,
        referenceChosen: policyChosen - w / beta,
        referenceRejected: -l / beta,
      };
      const ours = withMixRatio(numbers, dpo(numbers, pair, { beta }), { policyChosen, mixRatio: 0.5 });
      // four printed decimals of W, L and NLL: 0.5·(5e-5 + 5e-5) + 0.5·5e-5 + 5e-5
      expect(Math.abs(ours - loss)).toBeLessThan(1.3e-4);
    }
  });
});
