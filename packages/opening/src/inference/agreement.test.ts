/** Derived by hand: accepted and refused server numbers. */
import { describe, expect, it } from 'vitest';
import { agreement } from './agreement.ts';

const told = (theirs: readonly number[], now: readonly number[], before: readonly number[] | null) => {
  const agreed = agreement({ maxGap: 0.05 });
  // of several answers
  theirs.forEach((value, token) => agreed.add([value], [now[token]!], before && [before[token]!]));
  return agreed;
};
const many = (count: number, of: (token: number) => number) =>
  Array.from({ length: count }, (_, token) => of(token));

describe('log-probabilities of a server', () => {
  it('have a mean absolute difference from those here', () => {
    // (0.01 + 0.03 + 0.02) / 3
    expect(told([-1.01, -0.97, -2], [-1, -1, -2.02], null).gap('v1')).toBeCloseTo(0.02, 12);
  });

  it.each([0.0501, Number.NaN])('are refused at a difference of %d with a limit of 0.05', (difference) => {
    expect(() => told([-1 + difference], [-1], null).gap('run-v1-x')).toThrow(/run-v1-x differ/);
    expect(told([-1.0499], [-1], null).gap('v1')).toBeLessThanOrEqual(0.05);
  });

  it('are refused if they belong to the previous version, however similar', () => {
    const before = many(100, (token) => (token % 2 ? 0.001 : -0.001));
    const now = before.map(() => 0);
    expect(() => told(before, now, before).gap('v1')).toThrow(/match the previous version/);
    expect(told(now, now, before).gap('v1')).toBe(0);
  });

  // x = 0.01 everywhere, y = 0.006 ± 0.04: b = 0.6, with a standard error of 0.04 / (0.01 · √count)
  it.each([
    [100, 0.4, false],
    [10_000, 0.04, true],
  ])('of %i tokens that are 0.6 of the way, ± %d, are refused: %s', (count, _error, isRefused) => {
    const [before, now] = [many(count, () => 0.01), many(count, () => 0)];
    const agreed = told(
      many(count, (token) => 0.006 + (token % 2 ? 0.04 : -0.04)),
      now,
      before,
    );
    if (isRefused) expect(() => agreed.gap('v1')).toThrow(/previous version/);
    else expect(agreed.gap('v1')).toBeCloseTo(0.04, 9);
  });

  it('may be less than half of the way to the version before', () => {
    const [before, now] = [many(100, () => 0.01), many(100, () => 0)];
    expect(
      told(
        many(100, () => 0.004),
        now,
        before,
      ).gap('v1'),
    ).toBeCloseTo(0.004, 9);
  });
});
