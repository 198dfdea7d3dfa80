import { EmacError } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { manualClock } from '../manual-clock.test.support.ts';
import { patience } from './patience.ts';

const fault = () => new EmacError('unavailable', 'queue: Redis has been away');

describe('patience', () => {
  it.each([
    ['refused at once', 0],
    ['unanswered for ten seconds', 10_000],
  ])('is measured in time, with tries that are %s', async (_what, tryMs) => {
    const clock = manualClock();
    const { retry, begin, hoped } = patience(60_000, fault, clock.after);
    begin();
    const asked = hoped(new Promise(() => {}));
    let passed = 0;
    for (let times = 1, wait = retry(times); wait !== null; wait = retry(++times)) {
      clock.pass(wait + tryMs);
      passed += wait + tryMs;
    }
    expect(passed).toBeGreaterThanOrEqual(60_000);
    expect(passed).toBeLessThanOrEqual(60_000 + 500 + tryMs);
    await expect(asked).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('begins anew with every connection', () => {
    const clock = manualClock();
    const { retry, begin } = patience(1_000, fault, clock.after);
    begin();
    for (let outage = 0; outage < 3; outage++) {
      expect(retry(1)).toBe(500);
      clock.pass(5_000);
    }
    expect(retry(2)).toBeNull();
  });
});
