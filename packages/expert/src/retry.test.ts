import { Random } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { retryAfterMs } from './fault.ts';
import { delayMs } from './retry.ts';

const options = { maxAttempts: 9, backoffMs: 500, maxBackoffMs: 3000, maxRetryAfterMs: 10_000 };

describe('delayMs', () => {
  it('doubles up to its cap, less up to half at random', () => {
    const random = Random.fromSeed(1);
    const whole = [500, 1000, 2000, 3000, 3000];
    whole.forEach((most, index) => {
      for (let draw = 0; draw < 50; draw++) {
        const delay = delayMs(index + 1, null, { ...options, random });
        expect(delay).toBeLessThanOrEqual(most);
        expect(delay).toBeGreaterThan(most / 2 - 1e-9);
      }
    });
  });

  it("follows the server's request, up to the cap", () => {
    const random = Random.fromSeed(1);
    expect(delayMs(1, 4000, { ...options, random })).toBe(4000);
    expect(delayMs(1, 3_600_000, { ...options, random })).toBe(10_000);
  });
});

describe('retryAfterMs', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  it.each([
    [{ 'retry-after': '2' }, 2000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after-ms': '30', 'retry-after': '2' }, 30],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:05 GMT' }, 5000],
    [{ 'retry-after': 'Thu, 01 Jan 2025 00:00:05 GMT' }, 0],
    [{ 'retry-after': '-1 soon' }, null],
    [{ 'retry-after': 'NaN' }, null],
    [{}, null],
  ])('reads %j as %s ms', (headers, expected) => {
    expect(retryAfterMs(new Headers(headers as Record<string, string>), now)).toBe(expected);
  });
});
