import { describe, expect, it } from 'vitest';
import { callLimits, type LimitOptions } from './limits.ts';
import { manualClock, settled } from './manual-clock.test.support.ts';

describe('callLimits', () => {
  it('allows a number of calls at once, and the next when one has ended', async () => {
    const { inFlight } = callLimits({ concurrency: 3, clock: manualClock() });
    const begun: number[] = [];
    const end: (() => void)[] = [];
    const calls = Array.from({ length: 5 }, (_, call) =>
      inFlight(() => {
        begun.push(call);
        return new Promise<void>((resolve) => (end[call] = resolve));
      }),
    );
    await settled();
    expect(begun).toEqual([0, 1, 2]);
    end[1]!();
    await settled();
    expect(begun).toEqual([0, 1, 2, 3]);
    end[0]!();
    await settled();
    for (const call of [2, 3, 4]) end[call]!();
    await Promise.all(calls);
    expect(begun).toEqual([0, 1, 2, 3, 4]);
  });

  it('passes the place of a failed call to the next', async () => {
    const { inFlight } = callLimits({ concurrency: 1, clock: manualClock() });
    const failed = inFlight(() => Promise.reject(new Error('down')));
    const next = inFlight(() => Promise.resolve('look'));
    await expect(failed).rejects.toThrow('down');
    expect(await next).toBe('look');
  });

  /** When each request was allowed, in milliseconds, while the clock advances in steps of 10. */
  async function times(tokens: readonly number[], limits: Omit<LimitOptions, 'clock'>): Promise<number[]> {
    const clock = manualClock({ start: 0, wait: 'held' });
    const { request } = callLimits({ ...limits, clock });
    const through: number[] = [];
    const all = tokens.map((each) => request(each).then(() => void through.push(clock.now())));
    for (; through.length < tokens.length && clock.now() < 10_000; clock.pass(10)) await settled();
    await Promise.all(all);
    return through;
  }

  it('keeps the requests of any minute below the limit, without unnecessary waiting', async () => {
    const limits = { requestsPerMinute: 2, windowMs: 150 };
    expect(await times([1, 1, 1, 1, 1, 1], limits)).toEqual([0, 0, 150, 150, 300, 300]);
  });

  it('keeps the tokens of any minute below the limit, and sends one larger request alone', async () => {
    const limits = { tokensPerMinute: 45, windowMs: 200 };
    // two of 20 fill the first window; 46 exceed any window, and go when nothing else was sent within it
    expect(await times([20, 20, 20], limits)).toEqual([0, 0, 200]);
    expect(await times([46], limits)).toEqual([0]);
    expect(await times([20, 46], limits)).toEqual([0, 200]);
  });

  it('uses a minute of 60 seconds by default', async () => {
    const clock = manualClock({ start: 0 });
    const { request } = callLimits({ requestsPerMinute: 1, clock });
    await request(1);
    await request(1);
    expect(clock.now()).toBe(60_000);
  });

  it('ends a wait when the signal fires', async () => {
    const { request } = callLimits({ requestsPerMinute: 1, clock: manualClock({ wait: 'held' }) });
    await request(1);
    const stop = new AbortController();
    const waiting = request(1, stop.signal);
    stop.abort(new Error('too late'));
    await expect(waiting).rejects.toThrow('too late');
  });
});
