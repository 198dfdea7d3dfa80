/** The address and password of a queue, against a real Redis. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../captured-io.test.fixture.ts';
import { hasRedis, needsRedis, startRedis } from '../redis-server.test.fixture.ts';
import { openQueue, withWorkers } from './queue-options.ts';

const folder = temporaryFolder();

describe.skipIf(!hasRedis)(`a queue with a password (${needsRedis})`, () => {
  it('takes every character of EMAC_QUEUE_PASSWORD as it stands', async () => {
    const { url } = await startRedis(folder);
    const { Redis } = await import('ioredis');
    const direct = new Redis(url);
    for (const password of ['a%b', 'p%41x', 'a b#c/@?:é']) {
      await direct.config('SET', 'requirepass', password);
      const queue = await openQueue(url, { EMAC_QUEUE_PASSWORD: password });
      expect(await queue.counts()).toEqual({ waiting: 0, leased: 0 });
      await queue.close();
    }
    direct.disconnect();
  });
});

describe.skipIf(!hasRedis)(`queue and folder (${needsRedis})`, () => {
  it('are open as long as they are used, also where that fails', async () => {
    const place = join(folder, 'used');
    mkdirSync(place);
    const { url } = await startRedis(place);
    const values = { queue: url, shared: join(place, 'shared') };
    const asked = withWorkers({ values, io: { env: {} } }, async (workers) => {
      expect(await workers!.queue.counts()).toEqual({ waiting: 0, leased: 0 });
      throw new Error('the run cannot begin');
    });
    await expect(asked).rejects.toThrow('the run cannot begin');
    const { Redis } = await import('ioredis');
    const direct = new Redis(url);
    // nobody is connected but who asks
    const clients = async () =>
      String(await direct.call('CLIENT', 'LIST'))
        .trim()
        .split('\n').length;
    await expect.poll(clients, { timeout: 20_000 }).toBe(1);
    direct.disconnect();
  });
});
