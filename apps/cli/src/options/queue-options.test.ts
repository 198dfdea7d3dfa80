/** The address and password of a queue, against a real Redis. */
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../captured-io.test.fixture.ts';
import { hasRedis, needsRedis, startRedis } from '../redis-server.test.fixture.ts';
import { openQueue } from './queue-options.ts';

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
