/**
 * The thread of `src/redis/heart.ts`: a heart (`beating.mjs`) with a connection of its own. It is plain JavaScript, so
 * it starts from sources and from packages alike.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { Job, Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { beating } from './beating.mjs';

const { url, ca, name } = workerData;

const redis = new Redis(url, {
  maxRetriesPerRequest: null,
  socketTimeout: 20_000,
  retryStrategy: (times) => Math.min(times * 50, 1_000),
  ...(ca !== undefined && { tls: { ca } }),
});
redis.on('error', () => {});
const queue = new Queue(name, { connection: redis, prefix: 'emac' });
queue.on('error', () => {});
await queue.waitUntilReady();

const heard = await beating(workerData, {
  redis,
  extend: (id, token, leaseMs) => new Job(queue, 'held', {}, {}, id).extendLock(token, leaseMs),
  after(ms, action) {
    const timer = setTimeout(action, ms);
    return () => clearTimeout(timer);
  },
  post: (message) => parentPort.postMessage(message),
  end() {
    redis.disconnect();
    parentPort.postMessage({ ended: true });
  },
});
parentPort.on('message', heard);
parentPort.postMessage({ ready: true });
