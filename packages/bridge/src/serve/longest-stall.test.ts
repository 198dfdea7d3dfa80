import { createHistogram } from 'node:perf_hooks';
import { expect, it } from 'vitest';
import { longestStall } from './longest-stall.ts';

it('is the longest since the last report', () => {
  const delays = createHistogram();
  const told = longestStall(delays);
  for (const seconds of [1, 2.5, 0.5]) delays.record(seconds * 1e9);
  // a histogram of Node's keeps three figures
  expect(told()).toBeCloseTo(2.5, 2);
  expect(told()).toBe(0);
  delays.record(0.25e9);
  expect(told()).toBeCloseTo(0.25, 3);
});
