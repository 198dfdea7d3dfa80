import { describe, expect, it } from 'vitest';
import { realClock } from './clock.ts';

describe('realClock', () => {
  it('tells the given time', () => {
    expect(realClock(() => 17).now()).toBe(17);
  });

  it('ends a wait when its time is up, and at once when the signal fires', async () => {
    const { sleep } = realClock(() => 0);
    await sleep(1);
    const stop = new AbortController();
    const waiting = sleep(1e9, stop.signal);
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('runs scheduled actions, and not cancelled ones', async () => {
    const { after } = realClock(() => 0);
    const done: string[] = [];
    after(1, () => done.push('called off'))();
    await new Promise<void>((resolve) => after(2, resolve));
    expect(done).toEqual([]);
  });
});
