import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cosine, halfTurn, nearestHalfTurn, sine } from './angle.ts';

describe('sine and cosine', () => {
  it('are those of the engine to 1e-9, on both sides of every fold', () => {
    fc.assert(
      fc.property(fc.double({ min: -20, max: 20, noNaN: true }), (angle) => {
        expect(Math.abs(sine(angle) - Math.sin(angle))).toBeLessThan(1e-9);
        expect(Math.abs(cosine(angle) - Math.cos(angle))).toBeLessThan(1e-9);
      }),
    );
  });

  it('are exact without rotation', () => {
    expect([sine(0), cosine(0)]).toEqual([0, expect.closeTo(1, 10)]);
    expect([nearestHalfTurn(2), nearestHalfTurn(-2)]).toEqual([2 - halfTurn, halfTurn - 2]);
  });
});
