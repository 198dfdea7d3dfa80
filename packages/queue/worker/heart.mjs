/**
 * The thread of `src/redis/heart.ts`: renews leases and a worker's place in the list. It is plain JavaScript, so it
 * starts from sources and from packages alike.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { Job, Queue } from 'bullmq';
import { Redis } from 'ioredis';

const { url, ca, name, leaseMs, every, prefix } = workerData;
let { report } = workerData;
let saying;
// jobs may be short, and nobody reads reports that often
const sayingMs = 100;
const leavingMs = 2_000;

const redis = new Redis(url, {
  maxRetriesPerRequest: null,
  socketTimeout: 20_000,
  retryStrategy: (times) => Math.min(times * 50, 1_000),
  ...(ca !== undefined && { tls: { ca } }),
});
redis.on('error', () => {});
const queue = new Queue(name, { connection: redis, prefix: 'emac' });
queue.on('error', () => {});

/** leases by key */
const held = new Map();

async function appear() {
  clearTimeout(saying);
  saying = undefined;
  const place = `${prefix}:${report.id}`;
  await redis
    .multi()
    .set(place, JSON.stringify(report), 'PX', 3 * every)
    .sadd(prefix, report.id)
    .exec();
}

async function renew({ id, token, key }) {
  const isHeld = await new Job(queue, 'held', {}, {}, id).extendLock(token, leaseMs);
  if (!isHeld && held.delete(key)) parentPort.postMessage({ lost: key });
}

async function beat() {
  await appear();
  await Promise.all([...held.values()].map(renew));
}

/** Leaves the list, unless Redis is away; its place expires then. */
async function stop() {
  clearInterval(timer);
  clearTimeout(saying);
  if (redis.status === 'ready') {
    const left = redis.multi().del(`${prefix}:${report.id}`).srem(prefix, report.id).exec();
    await Promise.race([left.catch(() => {}), wait(leavingMs, undefined, { ref: false })]);
  }
  redis.disconnect();
  parentPort.close();
}

parentPort.on('message', (message) => {
  if (message.hold) held.set(message.hold.key, message.hold);
  if (message.release) held.delete(message.release);
  if (message.report) {
    report = message.report;
    saying ??= setTimeout(() => void appear(), sayingMs);
  }
  if (message.stop) void stop();
});

await queue.waitUntilReady();
await appear();
const timer = setInterval(() => void beat(), every);
parentPort.postMessage({ ready: true });
