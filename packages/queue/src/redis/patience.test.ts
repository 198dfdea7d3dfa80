import { EmacError } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { patience } from './patience.ts';

const fault = () => new EmacError('unavailable', 'queue: Redis has been away');

describe('patience', () => {
  it.each([
    ['refused at once', 0],
    ['unanswered for ten seconds', 10_000],
  ])('is measured in time, with tries that are %s', async (_what, tryMs) => {
    let now = 7;
    const { retry, begin, hoped } = patience(60_000, fault, () => now);
    begin();
    const begun = now;
    const asked = hoped(new Promise(() => {}));
    for (let times = 1, wait = retry(times); wait !== null; wait = retry(++times)) now += wait + tryMs;
    expect(now - begun).toBeGreaterThanOrEqual(60_000 - 500);
    expect(now - begun).toBeLessThanOrEqual(60_000 + tryMs);
    await expect(asked).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('begins anew with every connection', () => {
    let now = 0;
    const { retry, begin } = patience(1_000, fault, () => now);
    begin();
    for (const at of [0, 5_000, 10_000]) {
      now = at;
      expect(retry(1)).toBe(500);
    }
    now += 2_000;
    expect(retry(2)).toBeNull();
  });
});
