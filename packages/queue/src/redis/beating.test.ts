/** What a worker's heart sends, beat by beat. */
import { expect, it } from 'vitest';
import { beating, type ToHeart } from '../../worker/beating.mjs';
import { manualClock } from '../manual-clock.test.support.ts';

/** A heart whose reports Redis answers as `answer` does. */
async function begun(answer: () => Promise<unknown>) {
  const clock = manualClock();
  const extended: string[] = [];
  const posted: unknown[] = [];
  const commands = {
    set: () => commands,
    sadd: () => commands,
    srem: () => commands,
    del: () => commands,
    exec: answer,
  };
  const settings = { leaseMs: 900, every: 300, prefix: 'workers', report: { id: 'w' } };
  const hear = await beating(settings, {
    redis: { status: 'ready', multi: () => commands },
    extend: async (id) => {
      extended.push(id);
      return id !== 'lost';
    },
    after: clock.after,
    post: (message) => posted.push(message),
    end: () => posted.push('end'),
  });
  return { clock, extended, posted, hear: (message: ToHeart) => hear(message) };
}

const held = (id: string): ToHeart => ({ hold: { id, token: '1', key: `${id} 1` } });

it('renews leases whether or not its report is answered', async () => {
  let isThere = true;
  const { clock, extended, hear } = await begun(() => (isThere ? Promise.resolve() : new Promise(() => {})));
  isThere = false;
  hear(held('a'));
  for (const beats of [1, 2]) {
    clock.pass(300);
    expect(extended).toEqual(Array.from({ length: beats }, () => 'a'));
  }
});

it('tells once of a lease that is lost, and no longer renews it', async () => {
  const { clock, extended, posted, hear } = await begun(() => Promise.resolve());
  hear(held('lost'));
  clock.pass(300);
  await new Promise((resolve) => setImmediate(resolve));
  clock.pass(300);
  expect([extended, posted]).toEqual([['lost'], [{ lost: 'lost 1' }]]);
});

it('beats no more once it is told to stop', async () => {
  const { clock, extended, posted, hear } = await begun(() => Promise.resolve());
  hear(held('a'));
  hear({ stop: true });
  await new Promise((resolve) => setImmediate(resolve));
  clock.pass(900);
  expect([extended, posted]).toEqual([[], ['end']]);
});
