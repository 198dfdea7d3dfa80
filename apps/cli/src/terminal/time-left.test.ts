import { describe, expect, it } from 'vitest';
import { roughly, timeLeft } from './time-left.ts';

describe('the time left', () => {
  it('is unknown before anything is done', () => {
    expect(timeLeft(0).at(1000, 0)).toBe(null);
    expect(timeLeft(1000).at(1000, 0.5)).toBe(null);
  });

  it('follows an even pace, and counts down between two readings', () => {
    const left = timeLeft(0);
    // 100 s in all
    expect(left.at(10_000, 0.1)).toBeCloseTo(90_000);
    expect(left.at(20_000, 0.2)).toBeCloseTo(80_000);
    expect(left.at(99_000, 0.99)).toBeCloseTo(1000);
  });

  it('does not jump at one long game, and adapts if the pace stays slow', () => {
    const left = timeLeft(0);
    left.at(10_000, 0.1);
    // nothing new for 2 s: estimate 108 s left; shown 88 s and a little, at most 2/21.6 of the difference
    const soon = left.at(12_000, 0.1)!;
    expect(soon).toBeGreaterThan(88_000);
    expect(soon).toBeLessThan(88_000 + (20_000 * 2) / 21.6 + 1);
    let shown = soon;
    for (let now = 13_000; now <= 150_000; now += 1000) shown = left.at(now, now / 200_000)!;
    expect(Math.abs(shown - 50_000)).toBeLessThan(2500);
  });

  it('is never negative', () => {
    const left = timeLeft(0);
    left.at(1000, 0.99);
    expect(left.at(5_000, 1)).toBeGreaterThanOrEqual(0);
  });

  it.each([
    [400, '0 s'],
    [12_400, '12 s'],
    [59_600, '1 min'],
    [184_000, '3 min'],
    [186_000, '3 min 10 s'],
    [629_000, '10 min'],
    [7_890_000, '2 h 12 min'],
    [7_200_000, '2 h'],
  ])('shows %i ms as %s', (milliseconds, words) => {
    expect(roughly(milliseconds)).toBe(words);
  });
});
