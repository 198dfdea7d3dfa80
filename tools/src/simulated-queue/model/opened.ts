/** Queue objects over a real Redis, and over a simulated one without faults. */
import { bullQueue, nodeTimers, type JobQueue } from '@emac/queue';
import { connectRedis, heartThread, openBullJobs, queueLimits, redisQueue } from '@emac/queue/parts';
import { Process, type Place } from '../process.ts';
import { keyOf } from '../scripts.ts';
import { Server } from '../server.ts';
import { World } from '../world.ts';
import { limits, type Opened } from './verbs.ts';

const processes = 3;

/** Over a real one, in a queue of that name. */
export async function openedReal(url: string, name: string): Promise<Opened> {
  const connection = await connectRedis({ url });
  const bull = await openBullJobs(connection, name, queueLimits({ ...limits, leaseMs: 2 }));
  const parts = { name, limits: queueLimits(limits), place: { url }, connection, bull, timers: nodeTimers };
  const first = redisQueue({ ...parts, thread: heartThread });
  const others = Array.from({ length: processes }, () => bullQueue(url, { name, ...limits }));
  const queues = await Promise.all(others);
  const { worker } = bull as unknown as { readonly worker: { moveStalledJobsToWait(): Promise<void> } };
  const sweep = async (): Promise<void> => {
    await connection.redis.del(keyOf(name, 'stalled-check'));
    await worker.moveStalledJobsToWait();
  };
  return {
    queues,
    answered: (answer) => answer,
    async expire(id) {
      await connection.redis.del(`${keyOf(name, id)}:lock`);
      // the first marks, the second moves
      await sweep();
      await sweep();
    },
    close: async () => void (await Promise.all([first, ...queues].map((queue) => queue.close()))),
  };
}

/** Over a simulated one. */
export async function openedSimulated(seed: string): Promise<Opened> {
  const world = new World(seed, null);
  const server = new Server(world, null);
  const place: Place = {
    world,
    server,
    files: new Map(),
    limits: queueLimits(limits),
    patienceMs: 300_000,
    filesLateMs: 0,
    sabotage: null,
  };
  const answered = async <T>(answer: Promise<T>): Promise<T> => {
    let isThere = false;
    const there = (): void => void (isThere = true);
    answer.then(there, there);
    // an answer that needs no time must not let any pass
    await new Promise((resolve) => setImmediate(resolve));
    await world.run(Infinity, () => isThere);
    return answer;
  };
  const queues: JobQueue[] = [];
  for (let number = 0; number < processes; number++)
    queues.push(await answered(new Process(place, `process ${number}`).open()));
  const sweep = (): void => {
    server.keys(true).delete(keyOf('jobs', 'stalled-check'));
    server.scripts.moveStalledToWait(limits.losses - 1, 1);
  };
  return {
    queues,
    answered,
    async expire(id) {
      server.keys(true).delete(`${keyOf('jobs', id)}:lock`);
      sweep();
      sweep();
    },
    close: async () => {
      for (const queue of queues) await answered(queue.close());
    },
  };
}
