import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  distancesToSuccess,
  graphAdvantages,
  type NextState,
  type TracedAttempt,
} from './graph-advantages.ts';

const success: NextState = { kind: 'success' };
const failure: NextState = { kind: 'failure' };
const unknown: NextState = { kind: 'unknown' };
const state = (anchor: string): NextState => ({ kind: 'state', anchor });

/** From each state by an action to the next; the last word is the end. Rewards take no part. */
const attempt = (anchors: string, actions: string, end: NextState): TracedAttempt =>
  [...anchors].map((anchor, step) => ({
    anchor,
    reward: NaN,
    action: actions[step]!,
    next: step + 1 < anchors.length ? state(anchors[step + 1]!) : end,
  }));

/**
 * Success is 1 step from c, 2 from b, and 2 from a, by the second attempt's way to c that the first one did not know. No attempt
 * reached it from e. With ω = ½ a step to s′ is worth ½^(d(s′) + 1):
 * a x b: 1/8, a y c: 1/4, a z e: 0, mean 1/8 · b x c: 1/4 (two attempts, one edge), b y b: 1/8, mean 3/16
 * c x success: 1/2, c y failure: 0, mean 1/4 · e x: leads nobody knows where.
 */
const group = [
  attempt('abc', 'xxx', success),
  attempt('ac', 'yy', failure),
  attempt('abb', 'xyx', state('c')),
  attempt('ae', 'zx', unknown),
];
const discount = 0.5;

describe('distances to success', () => {
  it('are those of the shortest way over all attempts, and missing where there is none', () => {
    const found = distancesToSuccess(group);
    expect(Object.fromEntries(found)).toEqual({ a: 2, b: 2, c: 1 });
    expect(distancesToSuccess(group.slice(0, 1)).get('a')).toBe(3);
    expect(distancesToSuccess(group.slice(1)).size).toBe(0);
  });

  const attempts = fc.array(
    fc.tuple(
      fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1, maxLength: 6 }),
      fc.constantFrom(success, failure, unknown, state('a')),
    ),
    { minLength: 1, maxLength: 5 },
  );

  it('are one more than the nearest of the states that a step leads to', () => {
    fc.assert(
      fc.property(attempts, (own) => {
        const steps = own.map(([anchors, end]) => attempt(anchors.join(''), 'xxxxxx', end));
        const found = distancesToSuccess(steps);
        const after = (next: NextState): number => {
          if (next.kind === 'success') return 0;
          return next.kind === 'state' ? (found.get(next.anchor) ?? Infinity) : Infinity;
        };
        for (const anchor of ['a', 'b', 'c', 'd', 'e']) {
          const leaving = steps.flat().filter((step) => step.anchor === anchor);
          const nearest = Math.min(...leaving.map(({ next }) => after(next)));
          expect(found.get(anchor) ?? Infinity).toBe(nearest + 1);
        }
      }),
    );
  });
});

describe('graph advantages (GraphGPO)', () => {
  const expectClose = (found: readonly (readonly number[])[], expected: readonly (readonly number[])[]) => {
    expect(found.map(({ length }) => length)).toEqual(expected.map(({ length }) => length));
    found.forEach((own, which) =>
      own.forEach((value, step) =>
        expect(value, `${which}, ${step}`).toBeCloseTo(expected[which]![step]!, 12),
      ),
    );
  };

  it('compare the edges from a state, also of lost attempts', () => {
    expectClose(graphAdvantages(group, { discount, scale: 'none' }), [
      [0, 1 / 16, 1 / 4],
      [1 / 8, -1 / 4],
      [0, -1 / 16, 1 / 16],
      [-1 / 8, 0],
    ]);
  });

  it('are divided by the deviation with n − 1 on request', () => {
    // a: squares 2 / 64 over 2, deviation 1/8; two values apart by δ have the deviation δ / √2
    const [a, b, c] = [1 / 8, 1 / 8 / Math.SQRT2, 1 / 2 / Math.SQRT2].map((each) => each + 1e-6);
    expectClose(graphAdvantages(group, { discount, scale: 'group' }), [
      [0, 1 / 16 / b!, 1 / 4 / c!],
      [1 / 8 / a!, -1 / 4 / c!],
      [0, -1 / 16 / b!, 1 / 16 / b!],
      [-1 / 8 / a!, 0],
    ]);
  });

  it('are exactly 0 without a success', () => {
    const zeros = [
      [0, 0],
      [0, 0, 0],
      [0, 0],
    ];
    expect(graphAdvantages(group.slice(1), { discount, scale: 'group' })).toEqual(zeros);
  });

  it('tell equal actions apart that led to different states, and different actions to one state', () => {
    // success by x, or after c by x; c is 1 step away: edges worth 1/2, 1/4 and 1/4, mean 1/3
    const own = [attempt('a', 'x', success), attempt('ac', 'xx', success), attempt('ac', 'yx', success)];
    expectClose(graphAdvantages(own, { discount, scale: 'none' }), [[1 / 6], [-1 / 12, 0], [-1 / 12, 0]]);
  });
});
