/** Warns once about missing workers, for any number of waiting requests. */
import { localQueue, nodeTimers, timerClock, type JobQueue } from '@emac/queue';
import { expect, it } from 'vitest';
import { watchForWorkers } from './watch-for-workers.ts';

const emptyQueue = (): JobQueue => localQueue({ clock: timerClock(() => performance.now()) });

it('warns once for concurrent requests, and again for later ones', async () => {
  const queue = emptyQueue();
  const said: string[] = [];
  const listener = { warning: (line: string) => void said.push(line) };
  const ends = await Promise.all([1, 2, 3].map(() => watchForWorkers(queue, listener)));
  expect(said).toEqual([expect.stringMatching(/^no worker is running/)]);
  for (const end of ends.slice(0, 2)) end();
  const last = await watchForWorkers(queue, listener);
  expect(said).toHaveLength(1);
  for (const end of [ends[2]!, last]) end();
  (await watchForWorkers(queue, listener))();
  expect(said).toHaveLength(2);
});

it('fails every concurrent request if the queue fails, and asks again afterwards', async () => {
  const queue = emptyQueue();
  const fault = new Error('away');
  const failing = { timers: nodeTimers, workers: () => Promise.reject(fault) } as unknown as JobQueue;
  for (let time = 0; time < 2; time++) {
    const asked = await Promise.allSettled([1, 2].map(() => watchForWorkers(failing, undefined)));
    expect(asked).toEqual([1, 2].map(() => ({ status: 'rejected', reason: fault })));
  }
  (await watchForWorkers(queue, undefined))();
});
