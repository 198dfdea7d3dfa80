/** A simulated process: a main thread, a heart's thread, connections, a view of the shared folder; it may be killed. */
import { EventEmitter } from 'node:events';
import { EmacError } from '@emac/core';
import { sha256 } from '@emac/files';
import type { JobQueue, SharedFolder } from '@emac/queue';
import { beating, redisQueue, type HeartThread, type RedisParts, type ToHeart } from '@emac/queue/parts';
import { simulatedBull } from './bull-client.ts';
import { Connection, type Network } from './connection.ts';
import { connectSimulated, redisClient } from './redis-client.ts';
import type { Sabotage, SharedFile } from './sabotage.ts';
import { queueName, type Server } from './server.ts';
import { Thread, type World } from './world.ts';

/** What all processes share. */
export interface Place {
  readonly world: World;
  readonly server: Server;
  /** the shared folder's files, and when others see them */
  readonly files: Map<string, SharedFile>;
  readonly limits: RedisParts['limits'];
  readonly patienceMs: number;
  /** milliseconds until another machine sees a file */
  readonly filesLateMs: number;
  readonly sabotage: Sabotage | null;
}

export class Process {
  readonly main: Thread;
  readonly network: Network;
  readonly stop = new AbortController();
  /** nothing fits on its disk until then */
  fullUntil = 0;
  readonly name: string;
  readonly place: Place;
  readonly #rate: number;
  readonly #threads: Thread[] = [];
  readonly #connections = new Set<{ cut(): void; close?(): void }>();

  constructor(place: Place, name: string) {
    const { world } = place;
    this.place = place;
    this.name = name;
    this.#rate = world.between(0.95, 1.05);
    this.network = { delay: world.between(0.1, 3), slow: { delay: 0, until: 0 }, deadUntil: 0 };
    this.main = this.#thread();
  }

  get isOver(): boolean {
    return this.main.isOver;
  }

  #thread(): Thread {
    const thread = new Thread(this.place.world, this.#rate);
    thread.frozenUntil = this.main?.frozenUntil ?? 0;
    this.#threads.push(thread);
    return thread;
  }

  /** Ends at once, its connections with it. */
  kill(): void {
    for (const thread of this.#threads) thread.isOver = true;
    this.cut();
    for (const each of this.#connections) each.close?.();
  }

  /** Stands still, like a process that is not scheduled. */
  freeze(ms: number): void {
    for (const thread of this.#threads) thread.frozenUntil = this.place.world.now + ms;
  }

  /** Computes in the main thread; the heart beats on. */
  async compute(ms: number): Promise<void> {
    const { world } = this.place;
    this.main.frozenUntil = Math.max(this.main.frozenUntil, world.now + ms);
    await new Promise<void>((resolve) => void world.at(world.now + ms, this.main, resolve));
  }

  cut(): void {
    for (const each of this.#connections) each.cut();
  }

  /** Opens the queue. Errors: `unavailable`, `interrupted`. */
  async open(): Promise<JobQueue> {
    const { world, server, limits, patienceMs, sabotage } = this.place;
    const own = { world, server, thread: this.main, network: this.network };
    const connection = await connectSimulated({ ...own, patienceMs, signal: this.stop.signal });
    const blocking = new Connection({ ...own, retry: () => 500 });
    blocking.connect();
    for (const each of [connection, blocking]) this.#connections.add(each);
    const id = `${this.name} ${world.random.uint32()}`;
    const { main } = connection as unknown as { readonly main: Connection };
    const bull = simulatedBull({ thread: this.main, main, blocking, limits, id });
    const queue = redisQueue({
      name: queueName,
      limits,
      place: { url: 'simulated' },
      connection,
      bull,
      timers: this.main,
      thread: this.#heart,
    });
    return sabotage?.queue?.(queue, this) ?? queue;
  }

  readonly #heart: HeartThread = (data) => {
    const { world, server, sabotage } = this.place;
    const thread = this.#thread();
    const connection = new Connection({
      world,
      server,
      thread,
      network: this.network,
      retry: (times) => Math.min(times * 50, 1_000),
    });
    connection.connect();
    this.#connections.add(connection);
    const events = new EventEmitter();
    const early: ToHeart[] = [];
    let hear = (message: ToHeart): void => void early.push(message);
    const tell = (name: string, what: unknown): void =>
      void world.at(world.now + 0.1, this.main, () => events.emit(name, what));
    const end = (): void => {
      thread.isOver = true;
      connection.close();
      this.#connections.delete(connection);
      tell('exit', 0);
    };
    const extend = (id: string, token: string, leaseMs: number): Promise<number> =>
      connection.ask((there) => there.scripts.extendLock(id, token, leaseMs));
    const beats = beating(data, {
      redis: redisClient(connection),
      extend: sabotage?.isWithoutRenewal ? async () => 1 : extend,
      after: thread.after,
      post: (message) => tell('message', message),
      end: () => tell('message', { ended: true }),
    });
    const begun = (heard: (message: ToHeart) => void): void => {
      hear = heard;
      early.forEach(heard);
      tell('message', { ready: true });
    };
    beats.then(begun, (thrown: unknown) => tell('error', thrown));
    const postMessage = (message: ToHeart): void =>
      void world.at(world.now + 0.1, thread, () => hear(message));
    return Object.assign(events, { postMessage, terminate: async () => (end(), 0) });
  };

  /** This machine's view of the shared folder. */
  get folder(): SharedFolder {
    const { world, files, filesLateMs, sabotage } = this.place;
    const found = (hash: string): Uint8Array => {
      const file = files.get(hash);
      if (!file || (file.by !== this.name && file.seenFrom > world.now))
        throw new EmacError('missing', `shared/${hash}: is not there`);
      if (sha256(file.bytes) !== hash) throw new EmacError('data', `shared/${hash}: is not whole`);
      return file.bytes;
    };
    const folder: SharedFolder = {
      timers: this.main,
      has: (hash) => files.has(hash),
      get: found,
      file: () => {
        throw new EmacError('internal', 'simulated folder: has no paths');
      },
      put: (bytes) => {
        if (this.fullUntil > world.now) throw new EmacError('io', `${this.name}: its disk is full`);
        const hash = sha256(bytes);
        const seenFrom = world.now + world.between(0, filesLateMs);
        if (!files.has(hash)) files.set(hash, { bytes, seenFrom, by: this.name });
        return hash;
      },
    };
    return sabotage?.folder?.(folder, this) ?? folder;
  }
}
