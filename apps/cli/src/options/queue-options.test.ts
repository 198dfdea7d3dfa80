/** The address and password of a queue, on a real Redis. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../captured-io.test.fixture.ts';
import { hasRedis, needsRedis, startRedis } from '../redis-server.test.fixture.ts';
import { openQueue, withWorkers } from './queue-options.ts';

const folder = temporaryFolder();

describe.skipIf(!hasRedis)(`a queue with a password (${needsRedis})`, () => {
  it('takes every character of EMAC_QUEUE_PASSWORD literally', async () => {
    const { url } = await startRedis();
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
  it('stay open until the work ends or fails, then close', async () => {
    const place = join(folder, 'used');
    mkdirSync(place);
    const { url } = await startRedis();
    const values = { queue: url, shared: join(place, 'shared') };
    const asked = withWorkers({ values, io: { env: {} } }, async (workers) => {
      expect(await workers!.queue.counts()).toEqual({ waiting: 0, leased: 0 });
      throw new Error('the run cannot begin');
    });
    await expect(asked).rejects.toThrow('the run cannot begin');
    const { Redis } = await import('ioredis');
    const direct = new Redis(url);
    // the only connection left is this test's
    const clients = async () =>
      String(await direct.call('CLIENT', 'LIST'))
        .trim()
        .split('\n').length;
    await expect.poll(clients, { timeout: 20_000 }).toBe(1);
    direct.disconnect();
  });
});
