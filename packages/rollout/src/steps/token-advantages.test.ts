import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tokenAdvantages } from './token-advantages.ts';

const number = fc.double({ min: -2, max: 2, noNaN: true });
const answers = fc.array(number, { minLength: 1, maxLength: 8 });

describe('advantages of tokens', () => {
  it('equal numbers worked out by hand', () => {
    const { advantages, returns } = tokenAdvantages(2.5, [0.5, 1, -1], { discount: 0.9, trace: 0.5 });
    // 2.5 + 1; 0.9 · −1 − 1 + 0.45 · 3.5; 0.9 · 1 − 0.5 + 0.45 · −0.325
    [0.25375, -0.325, 3.5].forEach((value, token) => expect(advantages[token]).toBeCloseTo(value, 12));
    [0.75375, 0.675, 2.5].forEach((value, token) => expect(returns[token]).toBeCloseTo(value, 12));
  });

  it('are the step’s return minus the value before each token, with γ = λ = 1', () => {
    fc.assert(
      fc.property(number, answers, (stepReturn, values) => {
        const { advantages, returns } = tokenAdvantages(stepReturn, values, { discount: 1, trace: 1 });
        values.forEach((value, token) => {
          expect(advantages[token]).toBeCloseTo(stepReturn - value, 9);
          expect(returns[token]).toBeCloseTo(stepReturn, 9);
        });
      }),
    );
  });

  it('compare each value with the next alone, with λ = 0', () => {
    fc.assert(
      fc.property(number, answers, (stepReturn, values) => {
        const { advantages } = tokenAdvantages(stepReturn, values, { discount: 0.9, trace: 0 });
        values
          .slice(0, -1)
          .forEach((value, token) =>
            expect(advantages[token]).toBeCloseTo(0.9 * values[token + 1]! - value, 9),
          );
      }),
    );
  });

  it('refuse an answer without a token', () => {
    expect(() => tokenAdvantages(1, [], { discount: 1, trace: 1 })).toThrow('an answer needs a token');
  });
});
