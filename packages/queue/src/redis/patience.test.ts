import { EmacError } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { manualClock } from '../manual-clock.test.support.ts';
import { patience } from './patience.ts';

const fault = () => new EmacError('unavailable', 'queue: Redis has been away');

describe('patience', () => {
  it.each([
    ['refused at once', 0],
    ['unanswered for ten seconds', 10_000],
  ])('is measured in time, with attempts that are %s', async (_what, tryMs) => {
    const clock = manualClock();
    const { retry, begin, hoped } = patience(60_000, fault, { after: clock.after });
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

  it('is a moment after a stop, for earlier and later requests', async () => {
    const why: string[] = [];
    const told = (which: string) => {
      why.push(which);
      return new EmacError('interrupted', 'queue: stopped');
    };
    for (const isBefore of [true, false]) {
      const clock = manualClock();
      const stop = new AbortController();
      const { begin, hoped, isOver } = patience(300_000, told, { after: clock.after, signal: stop.signal });
      begin();
      const answered = hoped(Promise.resolve('there'));
      const asked = isBefore ? hoped(new Promise(() => {})) : null;
      stop.abort();
      const waiting = asked ?? hoped(new Promise(() => {}));
      const refused = expect(waiting).rejects.toMatchObject({ code: 'interrupted' });
      expect(await answered).toBe('there');
      clock.pass(2_999);
      expect(isOver()).toBe(false);
      clock.pass(1);
      await refused;
      expect(isOver()).toBe(true);
    }
    expect(why).toEqual(['stopped', 'stopped']);
  });

  it('restarts with every connection', () => {
    const clock = manualClock();
    const { retry, begin } = patience(1_000, fault, { after: clock.after });
    begin();
    for (let outage = 0; outage < 3; outage++) {
      expect(retry(1)).toBe(500);
      clock.pass(5_000);
    }
    expect(retry(2)).toBeNull();
  });
});
