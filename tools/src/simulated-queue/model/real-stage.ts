/** The stage of gatherings with real processes, a real Redis and lines between them that can be cut. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { bullQueue } from '@emac/queue';
import { startRedis, type TestRedis } from '@emac/testing';
import { workers, type GatheringSchedule, type Stage } from './gathering.ts';
import type { FromWorker, ToWorker } from './worker-process.ts';

const script = new URL('../../../dist/simulated-queue/model/worker-process.js', import.meta.url);

interface Line {
  readonly url: string;
  cut(): void;
  close(): void;
}

interface Worker {
  readonly child: ChildProcess;
  readonly line: Line;
  /** what it is asked now */
  hear: (word: FromWorker) => void;
}

/** Workers wait for the next gathering between two of them, since a process costs more than most gatherings. */
export async function realStage() {
  const redis = await startRedis('--appendfsync', 'always');
  const idle: Promise<Worker>[] = Array.from({ length: workers + 1 }, () => hired(redis));
  const trainerLine = await lineTo(redis.port);
  return {
    open: (schedule: GatheringSchedule): Promise<Stage> => opened(schedule, { redis, idle, trainerLine }),
    async close() {
      for (const { child, line } of await Promise.all(idle)) {
        child.kill('SIGKILL');
        line.close();
      }
      trainerLine.close();
      await redis.remove();
    },
  };
}

async function hired(redis: TestRedis): Promise<Worker> {
  const child = fork(script, { execArgv: [] });
  const worker: Worker = { child, line: await lineTo(redis.port), hear: () => {} };
  const isReady = new Promise<void>((resolve) => (worker.hear = (word) => word === 'ready' && resolve()));
  child.on('message', (word: FromWorker) => worker.hear(word));
  await isReady;
  return worker;
}

interface Means {
  readonly redis: TestRedis;
  readonly idle: Promise<Worker>[];
  readonly trainerLine: Line;
}

async function opened(
  { seed, leaseMs, jobMs, bound }: GatheringSchedule,
  { redis, idle, trainerLine }: Means,
): Promise<Stage> {
  const name = `gathering-${seed}`;
  const crew: Worker[] = [];
  const leaving: Promise<void>[] = [];
  let begun = 0;
  /** A worker that ends by itself is followed by another, as under a scheduler. */
  const left = (worker: Worker): void => {
    if (!crew.includes(worker)) return;
    crew.splice(crew.indexOf(worker), 1);
    worker.line.close();
    idle.push(hired(redis));
    if (!isEnding) void put();
  };
  let isEnding = false;
  const put = async (): Promise<void> => {
    const worker = await idle.shift()!;
    leaving.push(
      new Promise((resolve) => {
        worker.hear = (word) => (word === 'begun' ? begun++ : resolve());
        worker.child.once('exit', () => (resolve(), left(worker)));
      }),
    );
    worker.child.send({ url: worker.line.url, name, leaseMs, jobMs } satisfies ToWorker);
    crew.push(worker);
  };
  await Promise.all(Array.from({ length: workers }, put));
  const queue = await bullQueue(trainerLine.url, { name, leaseMs, bound, losses: 100 });
  return {
    queue,
    begun: () => begun,
    async until(question) {
      while (!(await question())) await pause(5);
    },
    async commit({ what, length }) {
      if (what === 'cut trainer') return trainerLine.cut();
      if (what === 'kill Redis') {
        await redis.kill();
        return redis.restart();
      }
      const worker = crew.shift()!;
      if (what === 'kill worker') {
        worker.child.kill('SIGKILL');
        worker.line.close();
        idle.push(hired(redis));
        return put();
      }
      crew.push(worker);
      if (what === 'cut worker') return worker.line.cut();
      worker.child.kill('SIGSTOP');
      void pause(length).then(() => worker.child.kill('SIGCONT'));
    },
    async end() {
      isEnding = true;
      for (const { child } of crew) child.send('leave');
      await Promise.all(leaving);
      for (const worker of crew) idle.push(Promise.resolve(worker));
      await queue.forget('run');
      await queue.close();
    },
  };
}

/** A port that passes everything on, until it is cut. */
async function lineTo(port: number): Promise<Line> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    for (const socket of [...sockets]) socket.resetAndDestroy();
  };
  const url = `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, cut, close: () => (server.close(), cut()) };
}
