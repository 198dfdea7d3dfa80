import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  everyImprovement,
  withReturn,
  type BestReturnSettings,
  type BestReturnState,
} from './best-return.ts';
import { readBestReturn } from './read-state.ts';

/** For each return whether it is the best, and whether patience is over. */
function followed(returns: readonly number[], given: Partial<BestReturnSettings> = {}) {
  let state: BestReturnState | null = null;
  return returns.map((each) => {
    const found = withReturn(state, each, { ...everyImprovement, decay: 0.5, ...given });
    state = found.state;
    return found;
  });
}

const bests = (...given: Parameters<typeof followed>): boolean[] =>
  followed(...given).map(({ isBest }) => isBest);

describe('the best return', () => {
  it('is the first one, and later a higher average', () => {
    // averages 4, 2, 5, 5, 5.5
    const found = followed([4, 0, 8, 5, 6]);
    expect(found.map(({ state }) => state.ema)).toEqual([4, 2, 5, 5, 5.5]);
    expect(found.map(({ isBest }) => isBest)).toEqual([true, false, true, false, true]);
    expect(found.map(({ state }) => state.best)).toEqual([4, 4, 5, 5, 5.5]);
  });

  it('uses a decay of 0.99 by default', () => {
    const first = withReturn(null, 1).state;
    expect(withReturn(first, 2).state.ema).toBeCloseTo(1.01, 12);
  });

  it('may be negative', () => {
    expect(bests([-4, -8, -1])).toEqual([true, false, true]);
  });

  it('must be more than minDelta above the last best', () => {
    // averages 0, 0.5, 0.75, 1.375: 0.5 is not above 0 + 0.5, 0.75 is, 1.375 is above 1.25
    expect(bests([0, 1, 1, 2], { minDelta: 0.5 })).toEqual([true, false, true, true]);
    expect(bests([0, 1, 1, 1.5], { minDelta: 0.5 })).toEqual([true, false, true, false]);
  });

  it('comes at most once per interval, and a skipped one does not raise the bar', () => {
    expect(bests([0, 1, 1, 1, 1, 1], { interval: 3 })).toEqual([true, false, false, true, false, false]);
    // averages 0, 4, 3, 2.5: 4 is skipped, and 2.5 is still above 0
    expect(bests([0, 8, 2, 2], { interval: 3 })).toEqual([true, false, false, true]);
  });

  it('gives up after a number of updates without one', () => {
    const over = (returns: number[]) =>
      followed(returns, { patience: 2 }).map(({ isExhausted }) => isExhausted);
    expect(over([1, 0, 0, 0])).toEqual([false, false, true, true]);
    // averages 1, 0.5, 2.25: a best restarts the count
    expect(over([1, 0, 4, 0, 0])).toEqual([false, false, false, false, true]);
    expect(followed(Array<number>(50).fill(0)).at(-1)!.isExhausted).toBe(false);
  });

  it('continues from JSON as if uninterrupted', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 2, maxLength: 30 }), (returns) => {
        let state: BestReturnState | null = readBestReturn(null);
        const found = returns.map((each) => {
          const next = withReturn(state, each, { ...everyImprovement, decay: 0.5, patience: 3 });
          state = readBestReturn(JSON.parse(JSON.stringify(next.state)));
          return next;
        });
        expect(found).toEqual(followed(returns, { patience: 3 }));
      }),
    );
  });

  it('rejects invalid returns and settings', () => {
    expect(() => withReturn(null, NaN)).toThrow(/finite number, got NaN/);
    for (const wrong of [
      { decay: 1 },
      { minDelta: -1 },
      { interval: 0 },
      { patience: 0.5 },
      { patience: NaN },
    ])
      expect(() => followed([1], wrong)).toThrow(`best return: ${Object.keys(wrong)[0]}: must be`);
  });

  it('rejects states other than its own', () => {
    const state = { ema: 1, best: 1, updates: 3, bestUpdate: 2 };
    expect(readBestReturn(state)).toEqual(state);
    expect(() => readBestReturn({ ...state, bestUpdate: 4 })).toThrow(/after the last one/);
    expect(() => readBestReturn({ ...state, ema: '1' })).toThrow(/best return: .*ema/);
  });
});
